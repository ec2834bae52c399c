// SPDX-License-Identifier: Apache-2.0
import StrataLMDB
import StrataModel
import StrataPrimitives

/// Allocates serials for new objects from blocks that the catalog has reserved. An insertion does
/// not wait for a writer, and no serial is allocated twice, even if the process is killed.
///
/// The next block is requested when half of the last one is used, and is reserved together with a
/// save if one is waiting.
///
/// ## Invariants
/// - I1 A serial is allocated only if the catalog on disk is above it. The exception: if the store
///   cannot write when no block is left, or is writing and has called the code that inserts,
///   insertions go on without a reservation. The next
///   reservation begins above them, a save of such objects raises the catalog above them in its own
///   transaction (`reserveSerials`), and a save of an object whose serial another process was given
///   in between is a conflict.
/// - I2 A read-only store reserves nothing. Its serials are in the upper half of all serials, where
///   no reservation comes, at a random place: the unsaved objects of one coordinator have other IDs
///   than the objects that others save.
/// - I3 A store that has no serials left, or that can neither write nor read its catalog, allocates
///   serials of the upper half too, because an insertion cannot throw. A save of these objects
///   throws (`VersionCheck.requireSerials`).
///
/// ## Isolation
/// Sendable; `take` waits for the disk only when no block is left.
final class SerialAllocator: Sendable {
  static let blockCount: UInt64 = 65_536

  private struct State {
    /// Reserved and not given out; the first is being used up.
    var blocks: [Range<UInt64>] = []
    var isReserving = false
    /// Above all serials that were ever in `blocks`, except those of I2 and I3.
    var end: UInt64 = 1

    /// Serials, nil if there are none; and whether it is time to reserve the next block.
    mutating func take(upTo countMax: Int) -> (serials: Range<UInt64>?, reservesAhead: Bool) {
      guard let block = blocks.first else { return (nil, false) }
      let (taken, rest) = (block.prefix(countMax), block.dropFirst(countMax))
      if rest.isEmpty { blocks.removeFirst() } else { blocks[0] = rest }
      let reservesAhead =
        blocks.count <= 1 && rest.count <= SerialAllocator.blockCount / 2 && !isReserving
      if reservesAhead { isReserving = true }
      return (taken, reservesAhead)
    }

    mutating func add(_ block: Range<UInt64>) {
      if StoreOrigin.range(of: block.lowerBound) >= ObjectKey.serialRangeCount {
        return blocks.append(block)
      }
      // Serials below the end were taken without a reservation while this block was being reserved.
      let rest = max(block.lowerBound, end)..<max(block.upperBound, end)
      if !rest.isEmpty { blocks.append(rest) }
      end = rest.upperBound
    }
  }

  private let state = CountedMutex(State())

  /// - Parameters:
  ///   - countMax: 1 at least.
  ///   - store: the store of the objects.
  /// - Returns: 1 at least.
  func take(upTo countMax: Int, for store: LMDBStore) -> Range<UInt64> {
    while true {
      let (serials, reservesAhead) = state.withLock { $0.take(upTo: countMax) }
      if reservesAhead { reserveAhead(for: store) }
      if let serials { return serials }
      if let serials = reserveAndWait(for: store) { return serials.prefix(countMax) }
    }
  }

  /// Reserves a block if there is none, so that the next serials can be taken without waiting.
  ///
  /// - Throws: the errors of a save.
  func fill(for store: LMDBStore) throws {
    guard state.withLock({ $0.blocks.isEmpty }) else { return }
    let block = try reserve(for: store)
    state.withLock { $0.add(block) }
  }

  private func reserveAhead(for store: LMDBStore) {
    store.enqueue(
      .reserve(from: state.withLock { $0.end }) { [weak self] result in
        self?.state.withLock { state in
          state.isReserving = false
          if case .success(let block) = result { state.add(block) }
        }
      })
  }

  /// Holds nothing of the open store while it waits: a compaction waits until that is released.
  ///
  /// - Returns: serials of I3, only for this call, if the catalog cannot be read now, which may
  ///   pass.
  private func reserveAndWait(for store: LMDBStore) -> Range<UInt64>? {
    if store.isReadOnly {
      state.withLock { $0.add(Self.unreservedBlock()) }
      return nil
    }
    let block: Range<UInt64>
    do {
      block = try reserve(for: store)
    } catch StoreError.serialsExhausted {
      block = Self.unreservedBlock()
    } catch {
      let free = store.firstFreeSerial() ?? ObjectKey.unsavedSerialMin
      let first = max(state.withLock { $0.end }, free)
      guard StoreOrigin.range(of: first) < ObjectKey.serialRangeCount else {
        return Self.unreservedBlock()
      }
      block = Self.block(from: first)
    }
    state.withLock { $0.add(block) }
    return nil
  }

  /// Serials that are not reserved, from `first` on; those of I3 if the range of `first` ends
  /// before. The next range belongs to another store.
  private static func block(from first: UInt64) -> Range<UInt64> {
    let range = StoreOrigin.range(of: first)
    guard range < ObjectKey.serialRangeCount,
      StoreOrigin.range(of: first + blockCount) == range
    else { return unreservedBlock() }
    return first..<(first + blockCount)
  }

  private func reserve(for store: LMDBStore) throws -> Range<UInt64> {
    let end = state.withLock { $0.end }
    let answer = Answer<Range<UInt64>>()
    store.enqueue(.reserve(from: end) { answer.give($0) }, lendingThread: true)
    return try answer.wait()
  }

  /// I2, I3.
  private static func unreservedBlock() -> Range<UInt64> {
    let first = UInt64.random(in: ObjectKey.unsavedSerialMin..<ObjectKey.serialMax - blockCount)
    return first..<(first + blockCount)
  }
}
