// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// Objects that a conflict has made something else than the save wanted, others' objects among them.
struct Revisions {
  var items: [ObjectKey: SavePlan.Item] = [:]
  /// Those that were revised since they were last looked at.
  var fresh: [ObjectKey] = []
}

extension SaveCheck {
  /// What the save writes of an object, if anything. O(log objects).
  func item(of key: ObjectKey) -> SavePlan.Item? {
    revisions.items[key] ?? plan.item(of: key)
  }

  /// The object as it is after the save; nil if it will not be there.
  func record(of key: ObjectKey) throws -> Record? {
    switch outcome(of: key) {
    case .deleted: return nil
    case .record(let record): return record
    case .untouched:
      var arena = RecordArena()
      return try view.record(of: key, into: &arena)?.record
    }
  }

  /// Has the object be `record` after the save, or deleted if that is nil. The saver hears of it.
  ///
  /// - Parameter external: bytes of external slots that the save sets in it besides those of its own
  ///   change.
  mutating func revise(
    _ key: ObjectKey, to record: Record?, external: ExternalValues = ExternalValues()
  ) throws {
    guard let entity = schema.entity(key.entity) else { return }
    let old: Record?
    var known = save.changes[key]?.external ?? ExternalValues()
    if let item = item(of: key) {
      old = item.old
      known = item.external.fitting(
        record, entity.layout, in: entity.layout.externalSlots, orElse: known)
    } else {
      var arena = RecordArena()
      old = try view.record(of: key, into: &arena)?.record
    }
    plan.merged.updateValue(record, forKey: key)
    plan.derived[key] = nil
    revisions.items[key] = item(
      key, old: old, new: record,
      external.fitting(record, entity.layout, in: entity.layout.externalSlots, orElse: known),
      entity)
    revisions.fresh.append(key)
    // It remembers objects that are there.
    existing = KeyMemo(expecting: save.changes.count)
  }

  /// Brings the revised objects into the plan.
  mutating func applyRevisions() {
    if revisions.items.isEmpty { return }
    plan.revise(revisions.items, schema)
    revisions = Revisions()
  }
}

extension SavePlan {
  func item(of key: ObjectKey) -> Item? {
    guard let section = sections.first(where: { $0.entity.number == key.entity }) else {
      return nil
    }
    var low = 0
    var high = section.items.count
    while low < high {
      let middle = (low + high) / 2
      if section.items[middle].key < key { low = middle + 1 } else { high = middle }
    }
    guard low < section.items.count, section.items[low].key == key else { return nil }
    return section.items[low]
  }

  /// Takes `revised` in the place of what was planned of these objects.
  mutating func revise(_ revised: [ObjectKey: Item], _ schema: Schema) {
    let byEntity = Dictionary(grouping: revised.values, by: \.key.entity)
    for (number, items) in byEntity {
      let place = sections.firstIndex { $0.entity.number == number }
      guard let entity = schema.entity(number) else { continue }
      var section = place.map { sections[$0] } ?? Section(entity: entity, items: [])
      section.items.removeAll { revised[$0.key] != nil }
      section.items += items.filter(\.isChange)
      section.items.sort { $0.key < $1.key }
      if let place { sections[place] = section } else { sections.append(section) }
    }
    sections.removeAll { $0.items.isEmpty }
    sections.sort { $0.entity.number < $1.entity.number }
  }
}
