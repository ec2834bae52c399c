// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

extension ManagedObjectContext {
  /// The turn's view as the context's objects show it: who holds an object that others have changed
  /// since sees its former values until a merge, and what is worked out of this view goes by those,
  /// wherever they stand: in a condition, in an order, at the other end of a relationship.
  ///
  /// O(1) where nobody has changed what is registered here; else O(registered objects).
  func shownView() throws -> ReadView {
    let view = try queriedView().view
    guard cache.mayHaveOutdated else { return view }
    var changes: [ObjectKey: Change] = [:]
    var arena = RecordArena()
    for object in cache.heldOutdatedObjects() {
      guard working.change(for: object.key) == nil, let shown = cache.originalRecord(of: object),
        case .record(let stored) = try currentView().find(object.key)
      else { continue }
      if stored.record == shown {
        if stored.generation == object.generation { cache.noteCurrent(object) }
        continue
      }
      changes[object.key] = masking(stored, by: shown, object.home.entity, in: view, &arena)
    }
    if changes.isEmpty { return view }
    let segment = Segment(changes: changes, links: LinkChanges(), schema: schema)
    return view.adding(segment)
  }
}
