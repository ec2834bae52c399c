// SPDX-License-Identifier: Apache-2.0
package import StrataModel
import StrataPrimitives
package import StrataRecord

/// Records the paths that a resolver resolves. The paths show on which other objects the truth of a
/// predicate or the position in an order depends.
///
/// All paths pass through one function of the resolver, and that function calls the log. A new kind
/// of condition or operand is recorded without code for it.
///
/// ## Isolation
/// Sendable, because resolvers are. A lock guards the state.
package final class PathLog: Sendable {
  /// A path from the fetched object over to-one relationships to a property of another object.
  package struct Way: Sendable {
    /// The objects along the path, the fetched object first: the entity of each, and the slot that
    /// is read. All slots but the last are to-one relationships.
    package let steps: [(owner: EntitySchema, slot: Int)]
  }

  private struct State {
    var ways: [Way] = []
    var hasCollections = false
    var isOpaque = false
    var entities: Set<EntityNumber> = []
    var slots = SlotSet()
  }

  private let state = CountedMutex(State())

  package init() {}

  /// The recorded paths from the fetched object to other objects, except paths through a
  /// collection.
  package var ways: [Way] { state.withLock { $0.ways } }

  /// Whether a recorded path goes through a to-many relationship.
  package var hasCollections: Bool { state.withLock { $0.hasCollections } }

  /// Whether a recorded path could not be followed, because it has a cast to a subentity. Any
  /// change may then affect the result.
  package var isOpaque: Bool { state.withLock { $0.isOpaque } }

  /// The entities of all objects other than the fetched one from which a property is read.
  package var entities: Set<EntityNumber> { state.withLock { $0.entities } }

  /// The slots of the fetched object that are read; nil if anything else is.
  package var slotsAlone: SlotSet? {
    state.withLock {
      $0.hasCollections || $0.isOpaque || !$0.entities.isEmpty ? nil : $0.slots
    }
  }

  /// Records a resolved path.
  ///
  /// - Parameters:
  ///   - first: the entity at which the path begins.
  ///   - isOutermost: whether the path begins at the fetched object.
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
      if case .property(let path) = end, hops.isEmpty { state.slots.insert(path.slot) }
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

  /// Returns the entities of the objects along `hops`, the first object included. The array is
  /// shorter if an entity on the path has no such relationship.
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
