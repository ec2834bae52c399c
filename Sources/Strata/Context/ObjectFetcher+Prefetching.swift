// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataQuery
import StrataRecord

// Loading many objects at once, instead of one whenever a fault fires.

extension ObjectFetcher {
  /// Loads the objects that are faults or not registered. Objects that are gone stay faults.
  func load(_ keys: [ObjectKey]) throws {
    // Before the cache is asked: the view says which of its objects are outdated.
    let view = try reader.currentViewIncludingEdits()
    let missing = keys.filter { registry.cache.object(for: $0)?.isFault ?? true }
    try view.visitRecords(of: missing) { key, stored in
      _ = loader.instance(of: key, generation: stored.generation) { stored.record }
    }
  }

  /// Loads the objects at the ends of the request's relationship paths, one relationship after the
  /// other: the targets of all objects together.
  func prefetch<T: ManagedObject>(_ request: FetchRequest<T>, of keys: [ObjectKey]) throws {
    for path in try relationshipPaths(of: request) {
      var owners = keys
      try load(owners)
      for step in path.steps {
        var targets: Set<ObjectKey> = []
        for owner in owners {
          guard let object = loader.instance(of: owner), object.isPresent else { continue }
          let relationship = object.binding.entity.relationships[step.slot] ?? step
          targets.formUnion(try relationships.targetKeys(of: object, relationship))
        }
        owners = targets.sorted()
        try load(owners)
      }
    }
  }

  /// The request's paths as relationships of its entity.
  ///
  /// - Throws: `QueryError.unknownProperty`, or `.unfitProperty` for a path that leads through an
  ///   attribute.
  func relationshipPaths<T: ManagedObject>(
    of request: FetchRequest<T>
  ) throws -> [RelationshipPath] {
    if request.prefetchedPaths.isEmpty { return [] }
    let entity = try schema(of: request)
    return try request.prefetchedPaths.map { try RelationshipPath($0, from: entity, in: schema) }
  }

  /// Loads the objects of a batch, and the paths that the request prefetches.
  func loadBatch<T: ManagedObject>(_ keys: [ObjectKey], of request: FetchRequest<T>) {
    reporter.attempt {
      try load(keys)
      try prefetch(request, of: keys)
    }
  }
}
