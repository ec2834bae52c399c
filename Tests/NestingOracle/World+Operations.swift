// SPDX-License-Identifier: Apache-2.0
import Strata

extension World {
  /// Does an operation with the real contexts, inside the turn of its context.
  func carryOut(
    _ operation: Operation, value: Int, in context: ManagedObjectContext
  ) throws -> Promise.Outcome {
    let place = operation.place
    let key = operation.key ?? 0
    switch operation.name {
    case .set:
      let node = try node(place, key, context)
      switch operation.slot {
      case .b: node.b = Node.text(value)
      default: node.a = value
      }
    case .link:
      let target = try operation.target.map { try node(place, $0, context) }
      try node(place, key, context).owner = target
    case .pair:
      let target = try operation.target.map { try node(place, $0, context) }
      try node(place, key, context).wife = target
    case .insert:
      let node = Node(in: context)
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
    case .revert, .refresh:
      let node = try node(place, key, context)
      context.refresh(node, mergeChanges: operation.name == .refresh)
      // What a refreshed object shows, it reads now.
      _ = node.a
    case .merge:
      if setup.automatic.contains(place) { break }
      context.automaticallyMergesChangesFromParent = true
      context.processPendingChanges()
      context.automaticallyMergesChangesFromParent = false
    case .save: return try Self.outcome { try context.save() }
    case .begin, .finish: break
    }
    return .saved
  }
}
