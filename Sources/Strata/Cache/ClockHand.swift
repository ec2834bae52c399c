// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives

/// The hand of a cache's clock: the slot that it points to, and its pauses.
///
/// A move is *futile* if the hand meets only objects that must stay. The program may hold a million
/// of them, and moves over them are wasted work. After several futile moves the hand pauses, twice
/// as long each time. One move that is not futile ends the pauses, and many new bytes end the
/// present one.
///
/// ## Invariants
/// - I1 The hand pauses only after more than `futileCountMax` consecutive futile moves.
/// - I2 No more of a pause is left than `pause`, which is `pauseMax` at most.
///
/// ## Isolation
/// The cache's.
struct ClockHand {
  /// The index of the table's slot to which the hand points. Tables do not shrink.
  private(set) var index = 0
  /// The number of new objects and reads between the last move and the next one.
  private(set) var pause = 0
  /// How many of those are still to come, unless they are large.
  private(set) var pauseLeft = 0
  /// Above this number of bytes the pause ends.
  private var pauseByteCountMax = 0
  /// The number of consecutive futile moves.
  private(set) var futileCount = 0

  /// The longest pause between two moves of the hand.
  static let pauseMax = 64
  /// Up to this many consecutive futile moves are expected: held objects are often adjacent.
  static let futileCountMax = 16

  /// Moves the hand on to the next slot.
  @inline(__always)
  mutating func advance(within capacity: Int) {
    index = index + 1 < capacity ? index + 1 : 0
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

  /// Begins the pause after a move, which may be futile.
  @inline(__always)
  mutating func beginPause(afterFutileMove isFutile: Bool, at byteCount: Int, of byteBudget: Int) {
    futileCount = isFutile ? futileCount + 1 : 0
    pause = futileCount <= Self.futileCountMax ? 0 : min(2 * pause + 1, Self.pauseMax)
    pauseLeft = pause
    pauseByteCountMax = byteCount + byteBudget / 64
    checkInvariants()
  }
}
