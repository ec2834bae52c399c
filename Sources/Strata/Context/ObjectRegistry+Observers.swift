// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

extension ObjectRegistry {
  /// Whether changes have no observers.
  var isUnobserved: Bool { observed?.isEmpty ?? true }

  // MARK: Changes of records

  /// Notifies observers that an object is about to read as `new`: of the properties that differ,
  /// and of the to-many relationships that its to-one slots make. Call it before the change, for
  /// registered objects and for others.
  ///
  /// - Parameters:
  ///   - old: the object's present state; nil if it does not exist, or if that is unknown.
  ///   - new: nil if the object is deleted, or if its values are still unknown.
  func recordWillChange(of key: ObjectKey, from old: Record?, to new: Record?) {
    guard !isUnobserved, let entity = schema.entity(key.entity) else { return }
    var changed = SlotSet(0..<entity.description.properties.count)
    if let old, let new { changed = entity.layout.differingSlots(old, new) }
    for slot in changed { propertyWillChange(of: key, slot) }
    for target in entity.ends.targets where changed.contains(target.slot) {
      guard let inverse = target.inverse, inverse.kind != .toOne else { continue }
      for case let record? in [old, new] {
        guard let owner = record.toOne(at: target.slot, layout: entity.layout) else { continue }
        propertyWillChange(of: owner, inverse.slot)
      }
    }
  }

  /// Tells observers that links at these places are about to come or go.
  func linksWillChange(_ links: LinkChanges) {
    guard !isUnobserved else { return }
    for place in links.byPlace.keys { linksWillChange(place.relationship, of: place.owner) }
  }

  /// Tells observers that links of one object in one relationship are about to come or go.
  func linksWillChange(_ number: PropertyNumber, of owner: ObjectKey) {
    guard !isUnobserved, let entity = schema.entity(owner.entity) else { return }
    for case let relationship? in entity.relationships where relationship.number == number {
      propertyWillChange(of: owner, relationship.slot)
    }
  }

  /// Tells observers that a to-one relationship is about to lead elsewhere.
  func targetWillChange(of object: ManagedObject, at slot: Int, to target: ObjectKey?) {
    guard !isUnobserved else { return }
    propertyWillChange(of: object.key, slot)
    guard let inverse = object.binding.entity.relationships[slot]?.inverse, inverse.kind != .toOne
    else { return }
    let former =
      object.draft.map { $0.toOne(at: slot) }
      ?? object.record?.toOne(at: slot, layout: object.binding.layout)
    for owner in [former, target] {
      if let owner { propertyWillChange(of: owner, inverse.slot) }
    }
  }

  /// Tells observers that an object is about to be deleted.
  func objectWillGo(_ object: ManagedObject) {
    guard !isUnobserved else { return }
    for slot in object.binding.entity.description.properties.indices {
      if object.binding.entity.relationships[slot]?.kind == .toOne {
        targetWillChange(of: object, at: slot, to: nil)
      } else {
        propertyWillChange(of: object.key, slot)
      }
    }
  }

  /// Tells observers that links of an object that are stored beside its record may come, go or
  /// move.
  func linksMayChange(of key: ObjectKey) {
    guard let observed, let object = cache.registeredObject(for: key), object.observation != 0
    else { return }
    for case let relationship? in object.binding.entity.relationships
    where relationship.isToMany && (!relationship.isOfSlots || relationship.isOrdered) {
      observed.willSet(object, relationship.slot)
    }
  }

  /// Tells observers of any object that members of to-many relationships may come or go.
  ///
  /// - Parameter relationships: their numbers; nil for all.
  func membersMayChange(of relationships: Set<PropertyNumber>?) {
    guard !isUnobserved, let observed, relationships?.isEmpty != true else { return }
    for object in observed.ownersOfMembers {
      for case let relationship? in object.binding.entity.relationships
      where relationship.isToMany && relationships?.contains(relationship.number) != false {
        observed.willSet(object, relationship.slot)
      }
    }
  }

  private func propertyWillChange(of key: ObjectKey, _ slot: Int) {
    guard let object = cache.object(for: key), object.observation != 0, let observed else { return }
    observed.willSet(object, slot)
  }

  // MARK: Changes of overlays

  /// Notifies observers of the changes that a push is about to make to this context's objects.
  ///
  /// - Parameters:
  ///   - touched: the objects that it changes.
  ///   - former: the context's changes before it.
  ///   - settled: the context's changes after it.
  func willTake(
    _ segment: Segment, touching touched: [ObjectKey], on former: Overlay, in settled: Overlay
  ) {
    guard !isUnobserved else { return }
    for key in touched {
      let change = settled.change(for: key)
      let record = cache.object(for: key)?.record ?? former.change(for: key)?.record
      recordWillChange(of: key, from: record ?? change?.base?.record, to: change?.record)
    }
    linksWillChange(segment.links)
  }

  /// Tells observers that everything unsaved is about to be taken back.
  func willTakeBack(_ overlay: Overlay) {
    guard !isUnobserved else { return }
    for (key, change) in overlay.changes {
      recordWillChange(of: key, from: change.record, to: change.base?.record)
    }
    linksWillChange(overlay.links)
  }

  /// Notifies observers of objects that the store saved differently.
  func willTakeOutcome(_ result: CommitResult, of changeSet: ChangeSet) {
    guard !isUnobserved else { return }
    var unknown: Set<EntityNumber> = []
    for (key, merged) in result.merged {
      let former = changeSet.changes[key]?.record ?? cache.object(for: key)?.record
      recordWillChange(of: key, from: former, to: merged)
      // Derived attributes make nothing a member.
      if former == nil, result.derived[key] == nil { unknown.insert(key.entity) }
    }
    membersMayChange(of: schema.relationships(withMembersOf: unknown))
  }
}

extension Schema {
  /// The to-many relationships of which objects of the entities are members by their to-one slots.
  func relationships(withMembersOf entities: Set<EntityNumber>) -> Set<PropertyNumber> {
    var relationships: Set<PropertyNumber> = []
    for case let entity? in entities.map(self.entity) {
      for case let inverse? in entity.ends.targets.map(\.inverse) where inverse.kind != .toOne {
        relationships.insert(inverse.number)
      }
    }
    return relationships
  }
}
