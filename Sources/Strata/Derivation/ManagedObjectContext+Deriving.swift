// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel

extension ManagedObjectContext {
  /// Whether a save is being prepared that reaches the store: derived attributes are worked out by
  /// that alone.
  var isDeriving: Bool { preparation != nil && layer.parent == nil }

  /// Works out the derived attributes of what is unsaved, and of what depends on it.
  ///
  /// - Throws: what reading throws.
  func derive() throws {
    guard !isDerived, var derivation = preparation?.derivation else { return }
    let segment = try derivation.segment(over: working, in: try currentViewIncludingEdits())
    if !segment.isEmpty { layDerived(segment) }
    derivation.note(working)
    preparation?.derivation = derivation
  }

  /// Whether the derived attributes of everything unsaved are worked out.
  var isDerived: Bool {
    schema.derivation.isEmpty || !isDeriving
      || preparation?.derivation.hasSeen(working) == true
  }

  /// Lays derived values over what is unsaved. They are complete: made from what lies beneath.
  private func layDerived(_ segment: Segment) {
    let former = working
    turn.note(segment, schema: schema)
    replaceWorking(working.adding(segment).compacted())
    isPublished = false
    for (key, change) in segment.changes {
      turn.updated.append(key)
      // Whoever was told of the save need not be again: nothing of it is an edit.
      if let pending = former.change(for: key), preparation?.isUntold(key, pending) == false {
        preparation?.told[key] = SavePreparation.Told(change)
      }
      guard let object = cache.object(for: key), let record = change.record else { continue }
      if object.status == .clean { object.status = .updated }
      if object.isFault { continue }
      object.recordWillChange(to: record)
      cache.replaceRecord(record, of: object)
      object.generation = change.base?.generation ?? 0
    }
    noteTouched()
  }
}
