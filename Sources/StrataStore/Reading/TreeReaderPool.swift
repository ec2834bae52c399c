// SPDX-License-Identifier: Apache-2.0
import CStrata
import StrataLMDB
import Synchronization

/// Readers of read transactions that no view is using: taking a snapshot renews one instead of
/// making it.
///
/// A reader waits in one of a row of slots. It is taken out of a slot, and put into one, by one
/// atomic operation, so threads never wait for each other here. Each thread begins with a slot of
/// its own and finds there the reader that it has put back: no memory is passed between threads.
///
/// ## Invariants
/// - I1 A reader in the pool has ended its transaction: it pins no pages.
/// - I2 A reader is in one place only, a slot or the view that has taken it. An exchange takes out
///   the reader that it returns, so no second thread can have it.
/// - I3 A closed pool has no reader, once `close` and the calls of `give` that were under way have
///   returned, and gives none from the return of `close` on, until it is reopened.
///
/// ## Lifetime
/// Each reader keeps its store's file open, so a pool that is not closed would keep it open for
/// ever. `LMDBStore` closes it.
///
/// ## Isolation
/// Sendable.
final class TreeReaderPool: Sendable {
  private typealias Slot = Atomic<Unmanaged<TreeReader>?>

  /// A power of two.
  private static let slotCount = 64
  /// Slots are two lines of the cache apart, because processors fetch lines by twos.
  private static let slotByteCount = 128

  // Safety: the memory is constant, and its content is atomic.
  private nonisolated(unsafe) let slots: UnsafeMutableRawPointer
  private let isClosed = Atomic(false)

  init() {
    slots = .allocate(
      byteCount: Self.slotCount * Self.slotByteCount, alignment: Self.slotByteCount)
    for number in 0..<Self.slotCount {
      (slots + number * Self.slotByteCount).initializeMemory(as: Slot.self, to: Slot(nil))
    }
  }

  deinit {
    empty()
    slots.deallocate()
  }

  private func slot(_ number: Int) -> UnsafeMutablePointer<Slot> {
    // Safety: each of these places was initialized as a slot.
    (slots + (number & (Self.slotCount - 1)) * Self.slotByteCount)
      .assumingMemoryBound(to: Slot.self)
  }

  private var ownSlot: Int { Int(strata_thread_number()) }

  /// A reader of the newest state; nil if the pool has none that can be renewed.
  ///
  /// - Throws: `storage`.
  func take() throws(StoreError) -> TreeReader? {
    guard let reader = takeIdle(), let transaction = reader.transaction as? ReadTransaction else {
      return nil
    }
    do throws(LMDBError) {
      try transaction.renew()
      return reader
    } catch .badReaderSlot, .panic, .mapResized {
      // Only this transaction cannot be renewed, or the caller will reopen the environment.
      return nil
    } catch {
      throw StoreError(error)
    }
  }

  private func takeIdle() -> TreeReader? {
    let own = ownSlot
    for number in own..<own + Self.slotCount {
      let slot = slot(number)
      // Relaxed: a hint. To exchange in an empty slot would take its line from its thread.
      if number > own, slot.pointee.load(ordering: .relaxed) == nil { continue }
      // Acquiring: the reader's memory is as the thread that gave it has left it.
      guard let taken = slot.pointee.exchange(nil, ordering: .acquiring) else { continue }
      let reader = taken.takeRetainedValue()
      return isClosed.load(ordering: .sequentiallyConsistent) ? nil : reader
    }
    return nil
  }

  /// Takes back a reader. Its snapshot is released at once.
  ///
  /// - Precondition: the caller holds the reader until this returns. Another thread may take it and
  ///   release it before that, and the reader may be the last that holds the pool.
  func give(_ reader: TreeReader) {
    (reader.transaction as? ReadTransaction)?.end()
    let given = Unmanaged.passRetained(reader)
    let own = ownSlot
    for number in own..<own + Self.slotCount {
      // Releasing, for the thread that takes the reader, and sequentially consistent with `close`:
      // either `close` finds the reader in its slot, or the pool is found closed here.
      let (isGiven, _) = slot(number).pointee.compareExchange(
        expected: nil, desired: given, ordering: .sequentiallyConsistent)
      if isGiven {
        if isClosed.load(ordering: .sequentiallyConsistent) { empty() }
        return
      }
    }
    given.release()
  }

  /// Releases all readers, and those that are given from now on.
  func close() {
    isClosed.store(true, ordering: .sequentiallyConsistent)
    empty()
  }

  /// Ends `close`.
  func reopen() { isClosed.store(false, ordering: .sequentiallyConsistent) }

  private func empty() {
    for number in 0..<Self.slotCount {
      slot(number).pointee.exchange(nil, ordering: .sequentiallyConsistent)?.release()
    }
  }
}
