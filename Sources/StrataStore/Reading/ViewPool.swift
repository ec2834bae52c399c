// SPDX-License-Identifier: Apache-2.0
import StrataLMDB
import StrataPrimitives
import StrataRecord

/// Views on read transactions that no snapshot is using, with their cursors: taking a snapshot
/// renews one instead of making it.
///
/// ## Invariants
/// - I1 A view in the pool has ended its transaction: it pins no pages.
///
/// ## Isolation
/// Sendable.
final class ViewPool: Sendable {
  // Safety: a view is in one place only, the pool or the snapshot that has taken it.
  private struct Idle: @unchecked Sendable { let view: StoreView }

  private let idle = CountedMutex<[Idle]>([])
  private static let countMax = 16

  /// How often and how long threads have waited for the pool.
  var waits: LockWaits { idle.waits }

  /// A view of the newest state.
  ///
  /// - Throws: `storage`.
  func take(
    from environment: Environment, trees: Trees, schema: Schema
  ) throws(StoreError) -> StoreView {
    do throws(LMDBError) {
      if let view = idle.withLock({ $0.popLast() })?.view,
        let transaction = view.transaction as? ReadTransaction
      {
        do throws(LMDBError) {
          try transaction.renew()
          return view
        } catch .badReaderSlot {
          // That transaction's trouble alone: take another.
        }
      }
      return StoreView(try environment.read(), trees: trees, schema: schema)
    } catch {
      throw StoreError(error)
    }
  }

  /// Takes back a view. Its snapshot is let go at once.
  func give(_ view: StoreView) {
    (view.transaction as? ReadTransaction)?.end()
    let idle = Idle(view: view)
    self.idle.withLock { views in
      if views.count < Self.countMax { views.append(idle) }
    }
  }
}
