// SPDX-License-Identifier: Apache-2.0
import Strata

extension World {
  /// What is not as promised after a step.
  func difference(after operation: Operation) throws -> String? {
    for place in Place.allCases {
      if let found = try enter(place, { try difference(place, in: $0) }) {
        return "after \(operation): \(place.letter) \(found)"
      }
    }
    let isStored =
      operation.name == .finish || operation.name == .save && operation.place.isRoot
    guard isStored, let found = try storedDifference() else { return nil }
    return "after \(operation): the store \(found)"
  }

  private func difference(_ place: Place, in context: ManagedObjectContext) throws -> String? {
    if let found = unsavedDifference(place, in: context) { return found }
    for key in Promise.keys {
      guard let node = held[place.rawValue][key] else { continue }
      let found = difference(node.values { keys[$0] }, promise.shown(place, key))
      if let found { return "holds \(Operation.letter(key)) \(found)" }
    }
    return setup.looksAtAll ? try fetchedDifference(place, in: context) : nil
  }

  private func unsavedDifference(_ place: Place, in context: ManagedObjectContext) -> String? {
    let unsaved = Promise.keys.map { promise.unsaved(place, $0) }
    let hasChanges = unsaved.contains { $0 != nil } || promise.isSaving(place)
    if context.hasChanges != hasChanges {
      return hasChanges ? "has no changes" : "has changes that nobody made"
    }
    for (kind, objects) in [
      (Promise.Kind.insert, context.insertedObjects), (.update, context.updatedObjects),
      (.delete, context.deletedObjects),
    ] {
      let found = Set(objects.compactMap { keys[$0.objectID] })
      let promised = Set(Promise.keys.filter { unsaved[$0] == kind })
      if found != promised, !promise.isSaving(place) {
        return "has \(kind)s of \(text(found)), promised are \(text(promised))"
      }
    }
    return nil
  }

  private func fetchedDifference(
    _ place: Place, in context: ManagedObjectContext
  ) throws -> String? {
    let nodes = try context.fetch(Node.all)
    let found = Set(nodes.map { keys[$0.objectID] ?? -1 })
    let promised = Set(Promise.keys.filter { promise.published(place, $0) != nil })
    if found != promised { return "fetches \(text(found)), promised are \(text(promised))" }
    for node in nodes {
      guard let key = keys[node.objectID], held[place.rawValue][key] == nil else { continue }
      let found = difference(node.values { keys[$0] }, promise.shown(place, key))
      if let found { return "shows \(Operation.letter(key)) \(found)" }
    }
    return nil
  }

  private func storedDifference() throws -> String? {
    let context = ManagedObjectContext(parent: stage.container.coordinator)
    let nodes = try context.fetch(Node.all)
    let found = Set(nodes.map { keys[$0.objectID] ?? -1 })
    let promised = Set(Promise.keys.filter { promise.stored($0) != nil })
    if found != promised { return "has \(text(found)), promised are \(text(promised))" }
    for node in nodes {
      guard let key = keys[node.objectID] else { continue }
      let found = difference(node.values { keys[$0] }, promise.stored(key))
      if let found { return "has \(Operation.letter(key)) \(found)" }
    }
    return nil
  }

  private func difference(_ found: Values, _ promised: Values?) -> String? {
    guard found != promised else { return nil }
    guard let promised else { return "though it is not there" }
    let parts = Slot.allCases.filter { found[$0] != promised[$0] }.map { slot in
      "\(slot.name) = \(text(found, slot)), promised is \(text(promised, slot))"
    }
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
