// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataPrimitives
import StrataRecord

// The planned writes of single objects, which decisions and derived values replace.

extension SavePlan {
  /// The planned write of an object, or nil. O(log objects).
  func item(of key: ObjectKey) -> Item? {
    guard let section = sections.first(where: { $0.entity.number == key.entity }) else {
      return nil
    }
    let place = section.items.partitioningIndex { $0.key >= key }
    guard place < section.items.count, section.items[place].key == key else { return nil }
    return section.items[place]
  }

  /// Replaces the planned writes of these objects by `revised`.
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
