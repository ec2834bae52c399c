// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

// Calls the life cycle methods of objects, except those of a save. They are the program's code and
// may do everything that the context allows, so they run only while its state is consistent, and
// only for entities that have them.

extension ObjectLoader {
  // MARK: - Awaking

  /// Calls `awakeFromFetch` on an object that has been given its record.
  func awakeFromFetch(_ object: ManagedObject) {
    quietly(object) { object.awakeFromFetch() }
  }

  /// Calls `awakeFromSnapshotEvents` on an object whose record was replaced by `events`; if it is a
  /// fault, its values are loaded first. Call it only while the context's state is consistent.
  func awake(_ object: ManagedObject, from events: SnapshotEvents) {
    guard object.binding.hooks.contains(.awakeFromSnapshotEvents), object.isPresent else { return }
    if object.isFault {
      do { try fulfil(object) } catch { reporter.note(error) }
    }
    guard object.record != nil else { return }
    quietly(object) { object.awakeFromSnapshotEvents(events) }
  }

  /// Calls `awakeFromSnapshotEvents` on the registered ones among the objects.
  func awake(_ keys: some Sequence<ObjectKey>, from events: SnapshotEvents) {
    guard schema.hooks.contains(.awakeFromSnapshotEvents) else { return }
    for key in keys {
      if let object = registry.cache.object(for: key) { awake(object, from: events) }
    }
  }

  /// Runs an awake method. The values that it sets count as loaded, and are not changes. In an
  /// object with a draft they go into the draft: it is being edited. Values that cannot be stored
  /// are not changes either: the next call that can throw reports them.
  private func quietly(_ object: ManagedObject, _ method: () -> Void) {
    guard object.draft == nil else { return method() }
    let awaking = AwakingObject(object)
    work.awaking.append(awaking)
    method()
    work.awaking.removeAll { $0 === awaking }
    guard let draft = object.draft.take() else { return }
    if let refused = draft.refused {
      reporter.note(ContextError.refusing(refused, of: object.key, object.binding.entity))
    }
    guard !draft.changed.isEmpty, let record = object.record,
      let original = registry.cache.originalRecord(of: object)
    else { return }
    var arena = RecordArena()
    // A merge may have replaced the record since the draft was made from it.
    let awakened = object.binding.layout.splice(
      base: record, changes: draft.encode(into: &arena), slots: draft.changed, into: &arena)
    registry.cache.setAwakened(awakened, over: original, external: draft.external, of: object)
    withExtendedLifetime(awaking) {}
  }
}
