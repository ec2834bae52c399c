// SPDX-License-Identifier: Apache-2.0
package import Foundation
package import StrataModel
import StrataPrimitives

/// The layouts of a store's records: the version of each entity's present one, and the earlier
/// ones, which records have that were not saved since. The store's catalog keeps it.
///
/// ## Invariants
/// - I1 The versions of an entity's earlier layouts ascend, and are below its present version,
///   which is not above the store's (`areSound(upTo:)`).
package struct LayoutVersions: Codable, Sendable, Hashable {
  /// An earlier layout of one entity.
  package struct Earlier: Codable, Sendable, Hashable {
    /// The version that its records name.
    package var version: UInt16
    /// The number and the code of each slot that has a place, in the order of the numbers. A third
    /// number is the slot's in the present layout, 0 if the slot does not go on; a slot without one
    /// has the same number.
    package var slots: [[UInt16]]
    /// A record of the present layout: the values of the slots that an earlier record has none for.
    package var template: Data
  }

  /// An entity whose layout has changed since the store was made.
  package struct Entity: Codable, Sendable, Hashable {
    package var version: UInt16
    package var earlier: [Earlier]
  }

  /// By entity number, in decimal digits. The layout of an entity that is not in here has version
  /// 1.
  package private(set) var entities: [String: Entity] = [:]

  package init() {}

  /// The versions as a store keeps them: JSON with sorted keys.
  package var text: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let data = try? encoder.encode(self) else {
      stopProgram("numbers and bytes are always encodable")
    }
    return Array(data)
  }

  /// I1: the versions may come from the disk.
  package func areSound(upTo version: UInt16) -> Bool {
    entities.values.allSatisfy { entity in
      let versions = [0] + entity.earlier.map(\.version) + [entity.version]
      return zip(versions, versions.dropFirst()).allSatisfy { $0 < $1 }
        && entity.version <= version
    }
  }

  package func version(of entity: EntityNumber) -> UInt16 {
    entities.isEmpty ? 1 : entities["\(entity.rawValue)"]?.version ?? 1
  }

  package func earlier(of entity: EntityNumber) -> [Earlier] {
    entities.isEmpty ? [] : entities["\(entity.rawValue)"]?.earlier ?? []
  }

  /// The upgrades from an entity's earlier layouts to its present one; nil if one of them, which
  /// are from the disk, makes no sense.
  package func upgrades(of entity: EntityNumber, to present: RecordLayout) -> [RecordUpgrade]? {
    let earlier = earlier(of: entity)
    let upgrades = earlier.compactMap { RecordUpgrade($0, to: present) }
    return upgrades.count == earlier.count ? upgrades : nil
  }

  /// Makes the layout that `upgrade` begins with, which is the present one, an earlier one, and the
  /// layout that it leads to the present one.
  ///
  /// - Throws: `RecordError` if an earlier layout makes no sense.
  package mutating func replaceLayout(
    of entity: EntityNumber, by upgrade: RecordUpgrade
  ) throws(RecordError) {
    guard let former = upgrades(of: entity, to: upgrade.earlier) else {
      throw .unknownVersion(found: upgrade.earlier.version)
    }
    var arena = RecordArena()
    var earlier: [Earlier] = []
    for one in former {
      let template = try one.template.withUnsafeBytes { (bytes) throws(RecordError) in
        try upgrade.record(from: bytes, into: &arena)
      }
      earlier.append(Earlier(one.earlier, template, one.renumbering(before: upgrade)))
    }
    earlier.append(Earlier(upgrade.earlier, upgrade.template, upgrade.renumbering))
    entities["\(entity.rawValue)"] = Entity(version: upgrade.present.version, earlier: earlier)
  }
}

extension RecordUpgrade {
  /// Nil if an earlier layout, which is from the disk, makes no sense.
  convenience init?(_ earlier: LayoutVersions.Earlier, to present: RecordLayout) {
    var slots: [SlotDescription] = []
    var last: UInt16 = 0
    var renumbering = SlotRenumbering()
    for slot in earlier.slots {
      guard 2...3 ~= slot.count, slot[0] > last, slot[0] <= PropertyNumber.rawValueMax,
        let code = UInt8(exactly: slot[1]).map(SlotCode.init(rawValue:)),
        code != .toMany, let kind = code.kind
      else { return nil }
      last = slot[0]
      slots.append(
        SlotDescription(
          number: PropertyNumber(rawValue: slot[0]), kind: kind, isExternal: code == .external))
      if slot.count == 3 {
        let later = slot[2] == 0 ? nil : PropertyNumber(rawValue: slot[2])
        renumbering.note(PropertyNumber(rawValue: slot[0]), later, isTaken: true)
      }
    }
    guard 1..<present.version ~= earlier.version else { return nil }
    let layout = RecordLayout(version: earlier.version, slots: slots)
    var arena = RecordArena()
    guard RecordUpgrade.isPossible(from: layout, to: present, renumbering),
      let template = try? earlier.template.withUnsafeBytes({ bytes in
        try present.validate(bytes)
        return arena.append(copying: bytes)
      })
    else { return nil }
    self.init(from: layout, to: present, template: template, renumbering)
  }
}

extension LayoutVersions.Earlier {
  fileprivate init(_ layout: RecordLayout, _ template: Record, _ renumbering: SlotRenumbering) {
    version = layout.version
    slots = layout.placedSlots.map { layout.slots[$0] }.sorted { $0.number < $1.number }
      .map { slot in
        let later = renumbering.changed[slot.number].map { [$0?.rawValue ?? 0] }
        return [slot.number.rawValue, UInt16(SlotCode(slot).rawValue)] + (later ?? [])
      }
    self.template = template.withUnsafeBytes { Data($0) }
  }
}
