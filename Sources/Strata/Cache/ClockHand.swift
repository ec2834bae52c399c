// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives

/// The hand of a cache's clock: the slot that it points to, and its pauses.
///
/// It exists because a hand that only meets objects that must stay is work without use: the program
/// may hold a million of them. After several such moves the hand pauses, twice as long each time.
/// One move of use ends the pauses, and many new bytes end the present one.
///
/// ## Invariants
/// - I1 The hand pauses only after more than `futileCountMax` consecutive futile moves.
/// - I2 No more of a pause is left than `pause`, which is `pauseMax` at most.
///
/// ## Isolation
/// The cache's.
struct ClockHand {
  /// The slot of the table to which the hand points. Tables do not shrink.
  private(set) var place = 0
  /// The number of new objects and reads between the last move and the next one.
  private(set) var pause = 0
  /// How many of those are still to come, unless they are large.
  private(set) var pauseLeft = 0
  /// Above this number of bytes the pause ends.
  private var pauseByteCountMax = 0
  /// The number of consecutive moves without a releasable object.
  private(set) var futileCount = 0

  /// The longest pause between two moves of the hand.
  static let pauseMax = 64
  /// This number of consecutive futile moves counts as chance: held objects are contiguous.
  static let futileCountMax = 16

  /// Moves the hand on to the next slot.
  @inline(__always)
  mutating func advance(within capacity: Int) {
    place = place + 1 < capacity ? place + 1 : 0
  }

  /// Counts a new object or a read.
  ///
  /// - Returns: whether the hand moves now: its pause has ended.
  @inline(__always)
  mutating func endsPause(at byteCount: Int) -> Bool {
    if pauseLeft > 0, byteCount < pauseByteCountMax {
      pauseLeft -= 1
      return false
    }
    return true
  }

  /// Begins the pause after a move.
  ///
  /// - Parameter isOfUse: false if the hand has met only objects that must stay.
  @inline(__always)
  mutating func beginPause(afterMove isOfUse: Bool, at byteCount: Int, of byteBudget: Int) {
    futileCount = isOfUse ? 0 : futileCount + 1
    pause = futileCount <= Self.futileCountMax ? 0 : min(2 * pause + 1, Self.pauseMax)
    pauseLeft = pause
    pauseByteCountMax = byteCount + byteBudget / 64
    checkInvariants()
  }
}
