// SPDX-License-Identifier: Apache-2.0
import Strata

extension World {
  /// Differences from the promise after a step.
  func difference(after operation: Operation) throws -> String? {
    // A save changes nothing in the saver's lists, and its parent shows the same.
    let isSave =
      operation.name == .save || operation.name == .finish && operation.place.isRoot
    let saver = isSave && !operation.isJoined ? operation.place : nil
    let before = saver.map { lists[$0.rawValue] }
    for place in Place.allCases {
      lists[place.rawValue] = [:]
      if let found = try enter(place, { try difference(place, in: $0) }) {
        return "after \(operation): \(place.letter) \(found)"
      }
    }
    if let saver, let before, !oracle.isPinned(saver) {
      for place in [saver, saver.parent] {
        guard let place, !oracle.isPinned(place) else { continue }
        if let found = misplaced(before, lists[place.rawValue]) {
          return "after \(operation): \(place.letter) has \(found)"
        }
      }
    }
    let isStored =
      [.finish, .through].contains(operation.name)
      || operation.name == .save && operation.place.isRoot
    guard isStored, let found = try storedDifference() else { return nil }
    return "after \(operation): the store \(found)"
  }

  private func difference(_ place: Place, in context: ManagedObjectContext) throws -> String? {
    if let found = unsavedDifference(place, in: context) { return found }
    for key in ContextOracle.keys {
      guard let node = held[place.rawValue][key] else { continue }
      let found = difference(
        node.values { keys[$0] }, oracle.shown(place, key), ignored(place, key), place)
      if let found { return "holds \(Operation.letter(key)) \(found)" }
      if let found = stateDifference(place, key, node) { return found }
    }
    return setup.looksAtAll ? try fetchedDifference(place, in: context) : nil
  }

  /// Values that are not compared: counts are only known to be right if the store's own state
  /// shows, and a saving context may have calculated derived values.
  private func ignored(_ place: Place, _ key: Int) -> Set<Slot> {
    if oracle.isAsStored(place, key), !oracle.isSaving { return [] }
    // The derived values of an object that the store has lost are not calculated.
    let isLost = oracle.stored(key) == nil
    let isDerivedIgnored =
      setup.without.contains(.derived) || isLost || oracle.isOnItsWay(place, key)
    return isDerivedIgnored ? [.memberCount, .derived] : [.memberCount]
  }

  /// A deleted object leads where it led before the deletion.
  private func deletedDifference(_ place: Place, in context: ManagedObjectContext) -> String? {
    for key in ContextOracle.keys {
      guard let former = oracle.deletedAs(place, key), let id = ids[key],
        let node = context.registeredObject(for: id) as? Node, node.isDeleted
      else { continue }
      let found = node.values { keys[$0] }
      for slot in Slot.links where found[slot] != former[slot] {
        return "deleted \(Operation.letter(key)) with \(slot.name) = \(text(found, slot)), "
          + "before it had \(text(former, slot))"
      }
    }
    return nil
  }

  private func unsavedDifference(_ place: Place, in context: ManagedObjectContext) -> String? {
    let idle = Set(ContextOracle.keys.filter { oracle.isIdle(place, $0) })
    let unsaved = ContextOracle.keys.map { oracle.unsaved(place, $0) }
    let links = oracle.hasLinkChanges(place)
    let hasChanges = unsaved.contains { $0 != nil } || oracle.isSaving(place) || links.must
    // While something new is saved and deleted again, nothing says whether that is a change.
    if oracle.isSaving(place),
      oracle.hasVanished(place) || !unsaved.contains(where: { $0 != nil })
    {
      return nil
    }
    if context.hasChanges != hasChanges, links.may == links.must, idle.isEmpty {
      return hasChanges
        ? "has no changes" : "has changes that nobody made: \(changes(of: context))"
    }
    // No attribute is transient: a change of links counts as long as it has its ends.
    if context.hasPersistentChanges != context.hasChanges {
      return context.hasChanges
        ? "has changes of which none is persistent" : "has persistent changes and no changes"
    }
    if let found = deletedDifference(place, in: context) { return found }
    for (kind, objects) in [
      (ContextOracle.Kind.insert, context.insertedObjects), (.update, context.updatedObjects),
      (.delete, context.deletedObjects),
    ] {
      let found = Set(objects.compactMap { keys[$0.objectID] })
      let promised = Set(ContextOracle.keys.filter { unsaved[$0] == kind })
      if found.symmetricDifference(promised).subtracting(idle).isEmpty { continue }
      if !oracle.isSaving(place) {
        return "has \(kind)s of \(text(found)), promised are \(text(promised))"
      }
    }
    for object in context.updatedObjects {
      guard let key = keys[object.objectID] else { continue }
      let slots = oracle.changedSlots(place, key)
      for name in object.changedValues().keys {
        guard let slot = Slot.allCases.first(where: { $0.name == name }), !slot.isDerived,
          !slots.contains(slot)
        else { continue }
        return "has a change of \(Operation.letter(key)) \(name) that nobody made"
      }
    }
    return nil
  }

  /// The states that an object says it is in.
  private func stateDifference(_ place: Place, _ key: Int, _ node: Node) -> String? {
    let kind = oracle.unsaved(place, key)
    // During a save only what it inserts has one state: what it deletes and what came back since
    // depends on whether the save succeeds.
    if oracle.isSaving(place), kind != .insert { return nil }
    if oracle.isIdle(place, key) { return nil }
    let found = [node.isInserted, node.isUpdated, node.hasChanges]
    let promised = [kind == .insert, kind == .update, kind != nil]
    if found == promised, kind != .delete || node.isDeleted { return nil }
    let flags = "inserted, updated, changed: \(found), deleted: \(node.isDeleted)"
    return "\(Operation.letter(key)) is \(flags); promised is \(kind.map { "\($0)" } ?? "none")"
  }

  /// The unsaved changes of a context in one line.
  private func changes(of context: ManagedObjectContext) -> String {
    func names(_ objects: Set<ManagedObject>) -> String {
      text(Set(objects.compactMap { keys[$0.objectID] }))
    }
    return """
      inserted \(names(context.insertedObjects)), updated \(names(context.updatedObjects)), \
      deleted \(names(context.deletedObjects))
      """
  }

  /// To-many relationships of an object, asked in each way.
  private func memberDifference(
    _ place: Place, _ key: Int, _ node: Node
  ) -> String? {
    guard !setup.without.contains(.members) else { return nil }
    let relationships: [(String, ToMany<Node>, Set<Int>)] = [
      ("members", node.members, oracle.members(place, of: key)),
      ("liked", node.liked, oracle.liked(place, by: key)),
      ("likers", node.likers, oracle.likers(place, of: key)),
    ]
    for (name, relationship, promised) in relationships {
      let found = Set(relationship.objectIDs.map { keys[$0] ?? -1 })
      if found != promised {
        return "has \(name) \(text(found)), promised are \(text(promised))"
      }
      if relationship.count != promised.count {
        return "has \(relationship.count) \(name), promised are \(promised.count)"
      }
    }
    let stops = node.stops.objectIDs
    lists[place.rawValue][key] = stops
    let (found, promised) = (
      Set(stops.map { keys[$0] ?? -1 }), oracle.stops(place, of: key)
    )
    if found == promised, stops.count == found.count { return nil }
    return "has stops \(names(stops)), promised are \(text(promised))"
  }

  /// Lists in which members that were there before stand in another order.
  private func misplaced(_ before: [Int: [ObjectID]], _ after: [Int: [ObjectID]]) -> String? {
    for (key, old) in before {
      guard let new = after[key] else { continue }
      let (kept, now) = (old.filter(new.contains), new.filter(old.contains))
      if kept == now { continue }
      return "\(Operation.letter(key)) with stops \(names(now)), before it was \(names(kept))"
    }
    return nil
  }

  /// Fetches that ask for values.
  private func predicateDifference(
    _ place: Place, in context: ManagedObjectContext
  ) throws -> String? {
    guard let values = oracle.published(place, 0) else { return nil }
    let text = Node.text(values[.b])
    let found = Set(try context.fetchIDs(Node.where { $0.b == text }).map { keys[$0] ?? -1 })
    let promised = Set(
      ContextOracle.keys.filter { oracle.published(place, $0)?[.b] == values[.b] })
    if found != promised {
      return "finds \(self.text(found)) by b = \(values[.b]), promised are \(self.text(promised))"
    }
    return try ownerDifference(place, in: context)
  }

  /// Fetches that ask where links lead: nowhere, if the deletion of the object at their end is
  /// pending. A link to an object that is gone leads to it or nowhere, until a merge drops it.
  private func ownerDifference(
    _ place: Place, in context: ManagedObjectContext
  ) throws -> String? {
    var owners: [Int: Int?] = [:]
    var undecided: Set<Int> = []
    for key in ContextOracle.keys {
      guard let values = oracle.published(place, key) else { continue }
      let target = values.target(.owner)
      owners[key] = .some(target)
      guard let target, oracle.published(place, target) == nil else { continue }
      if oracle.isDeletedAboveStore(place, target) {
        owners[key] = .some(nil)
      } else {
        undecided.insert(key)
      }
    }
    for owner in [nil] + ContextOracle.keys.filter({ ids[$0] != nil }).map(Optional.some) {
      let id = owner.flatMap { ids[$0] }
      let request = id.map { id in Node.where { $0.owner == id } } ?? Node.where { $0.owner == nil }
      let found = Set(try context.fetchIDs(request).map { keys[$0] ?? -1 })
      let promised = Set(owners.filter { $0.value == owner }.keys)
      let either = undecided.filter { owner == nil || owners[$0] == .some(owner) }
      if found.subtracting(either) != promised.subtracting(either) {
        let name = owner.map(Operation.letter) ?? "nil"
        return "finds \(text(found)) by owner = \(name), promised are \(text(promised))"
      }
    }
    return nil
  }

  private func fetchedDifference(
    _ place: Place, in context: ManagedObjectContext
  ) throws -> String? {
    let nodes = try context.fetch(Node.all)
    let found = Set(nodes.map { keys[$0.objectID] ?? -1 })
    let promised = Set(ContextOracle.keys.filter { oracle.published(place, $0) != nil })
    if found != promised { return "fetches \(text(found)), promised are \(text(promised))" }
    for node in nodes {
      guard let key = keys[node.objectID] else { continue }
      if held[place.rawValue][key] == nil {
        let found = difference(
          node.values { keys[$0] }, oracle.shown(place, key),
          ignored(place, key), place)
        if let found { return "shows \(Operation.letter(key)) \(found)" }
        if let found = stateDifference(place, key, node) { return found }
      }
      if let found = memberDifference(place, key, node) {
        return "\(Operation.letter(key)) \(found)"
      }
    }
    return try predicateDifference(place, in: context)
  }

  private func storedDifference() throws -> String? {
    let context = ManagedObjectContext(parent: stage.container.coordinator)
    let nodes = try context.fetch(Node.all)
    let found = Set(nodes.map { keys[$0.objectID] ?? -1 })
    let promised = Set(ContextOracle.keys.filter { oracle.stored($0) != nil })
    if found != promised { return "has \(text(found)), promised are \(text(promised))" }
    for node in nodes {
      guard let key = keys[node.objectID] else { continue }
      let found = difference(node.values { keys[$0] }, oracle.stored(key))
      if let found { return "has \(Operation.letter(key)) \(found)" }
      let (members, likes) = (oracle.storedMembers(key), oracle.storedLikes(key))
      let (foundMembers, foundLikes) = (
        Set(node.members.objectIDs.map { keys[$0] ?? -1 }),
        Set(node.liked.objectIDs.map { keys[$0] ?? -1 })
      )
      if foundMembers != members {
        return "has members \(text(foundMembers)), promised are \(text(members))"
      }
      let stops = Set(node.stops.objectIDs.map { keys[$0] ?? -1 })
      if stops != oracle.storedStops(key) {
        return "has stops \(text(stops)), promised are \(text(oracle.storedStops(key)))"
      }
      if foundLikes != likes {
        return "has liked \(text(foundLikes)), promised are \(text(likes))"
      }
    }
    return nil
  }

  private func difference(
    _ found: Values, _ promised: Values?, _ ignored: Set<Slot> = [], _ place: Place? = nil
  ) -> String? {
    guard found != promised else { return nil }
    guard let promised else { return "though it is not there" }
    // A link to an object that the context does not show leads there or nowhere.
    var ignored = ignored
    for slot in Slot.all where promised[slot] == Values.none && found[slot] == 0 {
      ignored.insert(slot)
    }
    if let place {
      for slot in Slot.links where found[slot] == 0 && oracle.isDangling(place, promised, slot) {
        ignored.insert(slot)
      }
      // The same of half a one-to-one link: no edit has made the other half.
      for slot in Slot.pairs where promised[slot] == 0 && oracle.isDangling(place, found, slot) {
        ignored.insert(slot)
      }
    }
    let parts = Slot.all.filter { found[$0] != promised[$0] && !ignored.contains($0) }.map { slot in
      "\(slot.name) = \(text(found, slot)), promised is \(text(promised, slot))"
    }
    if parts.isEmpty { return nil }
    return "with " + parts.joined(separator: ", ")
  }

  private func text(_ values: Values, _ slot: Slot) -> String {
    guard slot.isLink else { return "\(values[slot])" }
    guard let target = values.target(slot) else { return "nil" }
    return target < 0 ? "a stranger" : Operation.letter(target)
  }

  private func text(_ keys: Set<Int>) -> String {
    let letters = keys.sorted().map { $0 < 0 ? "?" : Operation.letter($0) }
    return letters.isEmpty ? "nothing" : letters.joined(separator: " ")
  }
}
