// SPDX-License-Identifier: Apache-2.0
package import StrataModel
import StrataPrimitives
package import StrataRecord

/// Notes each path that a resolver resolves: on which other objects it depends whether an object
/// satisfies a predicate, and where it is placed by a property of another.
///
/// It listens at the one place that all paths pass, so a new kind of condition or operand is noted
/// without knowing of it.
///
/// ## Isolation
/// Sendable, because resolvers are: guarded by a lock.
package final class PathLog: Sendable {
  /// A way from the object in hand over to-one relationships to a property of another object.
  package struct Way: Sendable {
    /// The objects on the way, the one in hand first: the entity of each, and the slot that is read
    /// there. All but the last are to-one slots.
    package let steps: [(owner: EntitySchema, slot: Int)]
  }

  private struct State {
    var ways: [Way] = []
    var hasCollections = false
    var isOpaque = false
    var entities: Set<EntityNumber> = []
  }

  private let state = CountedMutex(State())

  package init() {}

  /// The ways that lead beyond the object in hand, except those through a collection.
  package var ways: [Way] { state.withLock { $0.ways } }

  /// Whether anything depends on the members of a to-many relationship.
  package var hasCollections: Bool { state.withLock { $0.hasCollections } }

  /// Whether a path is not understood here: one that goes on as an object of a subentity. Then any
  /// change may concern what was resolved.
  package var isOpaque: Bool { state.withLock { $0.isOpaque } }

  /// The entities of all objects beyond the one in hand of which something is read.
  package var entities: Set<EntityNumber> { state.withLock { $0.entities } }

  /// - Parameters:
  ///   - first: the entity that the path begins at.
  ///   - isOutermost: whether it begins at the object in hand.
  func note(
    _ end: PathResolver.End, from first: EntitySchema, isOutermost: Bool, schema: Schema
  ) {
    let hops: [Int]
    switch end {
    case .object: return
    case .property(let path): hops = path.hops
    case .collection(let collection, _): hops = collection.place.hops
    }
    let owners = owners(from: first, hops, schema)
    state.withLock { state in
      guard owners.count == hops.count + 1 else {
        state.isOpaque = true
        return
      }
      for owner in owners.dropFirst() { state.entities.formUnion(owner.family) }
      if case .property(let path) = end, isOutermost, !hops.isEmpty {
        state.ways.append(Way(steps: Array(zip(owners, hops + [path.slot]))))
      }
      if case .collection(let collection, _) = end {
        state.hasCollections = true
        state.entities.formUnion(collection.destination.family)
      }
    }
  }

  /// The entities of the objects along `hops`, the first one included; fewer, if an entity on the way
  /// has no such relationship.
  private func owners(
    from first: EntitySchema, _ hops: [Int], _ schema: Schema
  ) -> [EntitySchema] {
    var owners = [first]
    for hop in hops {
      let relationships = owners[owners.count - 1].relationships
      guard relationships.indices.contains(hop), let relationship = relationships[hop],
        let next = schema.entity(relationship.destination)
      else { break }
      owners.append(next)
    }
    return owners
  }
}
