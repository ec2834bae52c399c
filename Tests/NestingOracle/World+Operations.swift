// SPDX-License-Identifier: Apache-2.0
import Strata

extension World {
  /// A list that is not in order.
  struct Misplaced: Error {
    var found: String
    var promised: String
  }

  func names(_ ids: [ObjectID]) -> String {
    ids.map { keys[$0].map(Operation.letter) ?? "?" }.joined(separator: " ")
  }

  /// Does an operation with the real contexts, inside the turn of its context.
  func carryOut(
    _ operation: Operation, value: Int, in context: ManagedObjectContext
  ) throws -> ContextOracle.Outcome {
    guard operation.isTakenBack else { return try perform(operation, value: value, in: context) }
    struct Refusal: Error {}
    do {
      try context.withSavepoint {
        _ = try perform(operation, value: value, in: context)
        throw Refusal()
      }
    } catch is Refusal {
    }
    return .saved
  }

  private func perform(
    _ operation: Operation, value: Int, in context: ManagedObjectContext
  ) throws -> ContextOracle.Outcome {
    let place = operation.place
    let key = operation.key ?? 0
    switch operation.name {
    case .set, .code: try setAttribute(operation, value, context)
    case .link, .part, .pair: try link(operation, context)
    case .like, .unlike: try like(operation, context)
    case .stop, .lead, .unstop: try stop(operation, context)
    case .insert:
      let node = Node(context: context)
      ids[key] = node.objectID
      keys[node.objectID] = key
    case .delete: context.delete(try node(place, key, context))
    case .hold:
      let node = try node(place, key, context)
      _ = node.values { keys[$0] }
      held[place.rawValue][key] = node
    case .release: held[place.rawValue][key] = nil
    case .read: _ = try node(place, key, context).values { keys[$0] }
    case .fetch: _ = try context.fetch(Node.all).map(\.a)
    case .rollback: context.rollback()
    case .reset: context.reset()
    case .undo: context.undo()
    case .redo: context.redo()
    case .pin: try context.setQueryGeneration(from: .current)
    case .unpin: try context.setQueryGeneration(from: nil)
    case .revert, .refresh:
      let node = try node(place, key, context)
      context.refresh(node, mergeChanges: operation.name == .refresh)
      // A refreshed object reads its values now.
      _ = node.a
    case .refreshAll: context.refreshAllObjects()
    case .merge:
      if setup.automatic.contains(place) { break }
      context.automaticallyMergesChangesFromParent = true
      context.processPendingChanges()
      context.automaticallyMergesChangesFromParent = false
    case .save: return try Self.outcome { try context.save() }
    case .begin, .finish, .hand, .through: break
    }
    return .saved
  }

  private func setAttribute(
    _ operation: Operation, _ value: Int, _ context: ManagedObjectContext
  ) throws {
    let node = try node(operation.place, operation.key ?? 0, context)
    switch (operation.name, operation.slot) {
    case (.code, _): node.code = operation.target.map { "\($0)" }
    case (_, .b): node.b = Node.text(value)
    default: node.a = value
    }
  }

  /// Links an object to another one by a to-one relationship, or to none.
  private func link(_ operation: Operation, _ context: ManagedObjectContext) throws {
    let place = operation.place
    let target = try operation.target.map { try node(place, $0, context) }
    let linked = try node(place, operation.key ?? 0, context)
    switch operation.name {
    case .link: linked.owner = target
    case .part: linked.whole = target
    default: linked.partner = target
    }
  }

  /// Adds a link of many to many, or removes one.
  private func like(_ operation: Operation, _ context: ManagedObjectContext) throws {
    let place = operation.place
    guard let target = try operation.target.map({ try node(place, $0, context) }) else { return }
    let liked = try node(place, operation.key ?? 0, context).liked
    if operation.name == .like { liked.insert(target) } else { liked.remove(target) }
  }

  /// Puts a member last in a list, or first, or removes it.
  ///
  /// - Throws: `Misplaced` if the list is then in another order.
  private func stop(_ operation: Operation, _ context: ManagedObjectContext) throws {
    let place = operation.place
    guard let target = try operation.target.map({ try node(place, $0, context) }) else { return }
    let stops = try node(place, operation.key ?? 0, context).stops
    var promised = stops.objectIDs.filter { $0 != target.objectID }
    switch operation.name {
    case .stop:
      stops.append(target)
      promised.append(target.objectID)
    case .lead:
      stops.insert(target, at: 0)
      promised.insert(target.objectID, at: 0)
    default: stops.remove(target)
    }
    let found = stops.objectIDs
    if found != promised { throw Misplaced(found: names(found), promised: names(promised)) }
  }
}
