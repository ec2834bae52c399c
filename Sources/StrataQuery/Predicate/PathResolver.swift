// SPDX-License-Identifier: Apache-2.0
import StrataModel
package import StrataRecord

/// Resolves key paths and names to slots of one store's entities.
package struct PathResolver: Sendable {
  package let schema: Schema
  /// The entity that the request fetches.
  package let entity: EntitySchema
  /// The conditions on collections that surround the path, with the entities of their elements; the
  /// innermost last.
  private var scopes: [(scope: Scope, entity: EntitySchema)] = []
  /// The grouping of the rows, if the paths belong to columns of groups. The resolver reports to it
  /// which of the object's properties are used. Nil inside aggregates.
  // Safety: only the planning of one request sets it, in a copy that is not shared.
  nonisolated(unsafe) var grouping: RowGrouping?
  /// The values of the predicate's variables.
  private(set) var variables: Substitution = [:]
  /// The log that records each path; nil if no log is needed.
  private let log: PathLog?
  /// Whether paths may end at external attributes.
  private var allowsExternal = false
  /// The levels of the tree that is resolved, and of the collections on the paths around.
  private var levels: Int32 = 0

  package init(schema: Schema, entity: EntitySchema, log: PathLog? = nil) {
    self.schema = schema
    self.entity = entity
    self.log = log
  }

  /// Whether paths begin at the object that the request fetches, and not at an element of a
  /// collection.
  var isAtObject: Bool { scopes.isEmpty }

  /// Returns the resolver for a condition on elements that are objects of `entity`.
  func entering(_ scope: Scope, _ entity: EntitySchema) -> PathResolver {
    with {
      $0.scopes.append((scope, entity))
      $0.allowsExternal = false
    }
  }

  /// Returns the resolver for a condition on the members of a collection to which a path leads.
  ///
  /// - Throws: `tooManyLevels` if the tree has too many levels with the collections on paths.
  func enteringOnPath(
    _ scope: Scope, _ entity: EntitySchema
  ) throws(QueryError) -> PathResolver {
    let inner = entering(scope, entity).with { $0.levels += TreeExtent.levelsOfCollection }
    guard inner.levels <= TreeExtent.levelsMax else {
      throw .tooManyLevels(maximum: Int(TreeExtent.levelsMax))
    }
    return inner
  }

  /// Returns the resolver for a tree of this size.
  package func resolving(_ extent: TreeExtent) -> PathResolver {
    with { $0.levels = extent.levels }
  }

  /// The resolver for a path that is tested only for nil.
  var forPresence: PathResolver { with { $0.allowsExternal = true } }

  /// Returns the resolver in which `values` replace variables.
  func binding(_ values: Substitution) -> PathResolver {
    with { $0.variables.merge(values) { $1 } }
  }

  /// The resolver in which no variable has a value.
  var withoutVariables: PathResolver { with { $0.variables = [:] } }

  private func with(_ change: (inout PathResolver) -> Void) -> PathResolver {
    var resolver = self
    change(&resolver)
    return resolver
  }

  /// The end of a resolved path.
  enum End {
    case property(ResolvedPath)
    /// The object at which the path begins.
    case object(depth: Int)
    /// The first to-many relationship on the path; `rest` are the steps after it.
    case collection(ResolvedCollection, rest: [PathStep])
  }

  /// Resolves a path that ends at a property.
  ///
  /// - Throws: the errors of `resolve(_:)`; `toManyProperty` if the path has a to-many
  ///   relationship; `unknownProperty` for a path without steps.
  func path(_ reference: PathReference) throws(QueryError) -> ResolvedPath {
    switch try resolve(reference) {
    case .property(let path): return path
    case .object: throw .unknownProperty(entity: entity.description.name, keyPath: "\\.self")
    case .collection(let collection, _): throw collection.isUnfit
    }
  }

  /// Resolves a path up to its end or to the first to-many relationship.
  ///
  /// - Throws: `unknownProperty`, `transientProperty`, `externalProperty`, `tooManySteps`;
  ///   `unfitProperty` if the path has steps after an attribute; `unboundVariable` if the path
  ///   begins at an element of a collection and is outside of the condition on that collection.
  func resolve(_ reference: PathReference) throws(QueryError) -> End {
    try reference.requireLength()
    let (first, depth) = try beginning(of: reference)
    let end = try resolve(reference, from: first, depth: depth)
    log?.note(end, from: first, isOutermost: depth == scopes.count, schema: schema)
    if reference.scope == nil { grouping?.note(end, entity) }
    return end
  }

  private func resolve(
    _ reference: PathReference, from first: EntitySchema, depth: Int
  ) throws(QueryError) -> End {
    var owner = first
    var hops: [Int] = []
    var name = ""
    for (index, step) in reference.steps.enumerated() {
      if case .cast(let type) = step {
        owner = try entity(of: type)
        continue
      }
      if owner.isIdentity(step) {
        // The path ends at the ID of the object that the steps before lead to.
        let prefix = PathReference(scope: reference.scope, steps: Array(reference.steps[..<index]))
        return try resolve(prefix.withoutLastCast)
      }
      guard let slot = owner.slotIfAny(at: step) else {
        guard let names = owner.names(at: step) else { throw owner.unknown(step) }
        let steps = reference.steps[..<index] + names + reference.steps[(index + 1)...]
        return try resolve(
          PathReference(scope: reference.scope, steps: Array(steps)), from: first, depth: depth)
      }
      let property = owner.description.properties[slot]
      let isLast = index == reference.steps.count - 1
      name = name.isEmpty ? property.name : "\(name).\(property.name)"
      let entityName = owner.description.name
      let member =
        property.attribute?.type == .codable
        ? reference.keyPaths(after: index).flatMap(CompositePath.init) : nil
      let destination = owner.relationships[slot].flatMap { schema.entity($0.destination) }
      if let relationship = owner.relationships[slot], relationship.isToMany {
        guard let destination else {
          throw .toManyProperty(entity: entityName, property: relationship.name)
        }
        let collection = ResolvedCollection(
          place: .init(depth: depth, hops: hops, relationship: relationship),
          destination: destination, name: name, entityName: entityName)
        return .collection(collection, rest: Array(reference.steps[(index + 1)...]))
      }
      if isLast || member != nil {
        return .property(
          try path(to: property, at: slot, of: owner, depth: depth, hops: hops, name: name, member))
      }
      guard let destination else {
        throw .unfitProperty(entity: entityName, property: property.name)
      }
      owner = destination
      hops.append(slot)
    }
    return .object(depth: depth)
  }

  private func beginning(
    of reference: PathReference
  ) throws(QueryError) -> (entity: EntitySchema, depth: Int) {
    guard let scope = reference.scope else { return (entity, scopes.count) }
    guard let index = scopes.lastIndex(where: { $0.scope === scope }) else {
      throw .unboundVariable("an element outside of the condition on its collection")
    }
    return (scopes[index].entity, scopes.count - 1 - index)
  }

  private func path(
    to property: PropertyDescription, at slot: Int, of owner: EntitySchema, depth: Int, hops: [Int],
    name: String, _ composite: CompositePath?
  ) throws(QueryError) -> ResolvedPath {
    let entityName = owner.description.name
    guard case .attribute(let attribute) = property else {
      return ResolvedPath(
        depth: depth, hops: hops, slot: slot, kind: .toOne, composite: composite, name: name,
        entityName: entityName, absentValue: .null)
    }
    if attribute.isTransient {
      throw .transientProperty(entity: entityName, property: property.name)
    }
    if attribute.isExternal, !allowsExternal {
      throw .externalProperty(entity: entityName, property: property.name)
    }
    let names = composite?.names ?? []
    return ResolvedPath(
      depth: depth, hops: hops, slot: slot, kind: .attribute(composite?.type ?? attribute.type),
      composite: composite, name: names.isEmpty ? name : ([name] + names).joined(separator: "."),
      entityName: entityName, absentValue: attribute.absentValue)
  }
}

extension EntitySchema {
  /// Whether a step of a path reads the object's ID.
  fileprivate func isIdentity(_ step: PathStep) -> Bool {
    guard case .keyPath(let keyPath) = step else { return false }
    return description.readsObjectID(keyPath)
  }

  /// Returns the slot of a path's step.
  ///
  /// - Throws: `QueryError.unknownProperty`.
  func slot(at step: PathStep) throws(QueryError) -> Int {
    guard let slot = slotIfAny(at: step) else { throw unknown(step) }
    return slot
  }

  fileprivate func unknown(_ step: PathStep) -> QueryError {
    .unknownProperty(entity: description.name, keyPath: step.description)
  }

  /// The slot of a path's step; nil if the step leads to no property of this entity.
  fileprivate func slotIfAny(at step: PathStep) -> Int? {
    switch step {
    case .keyPath(let keyPath): description.slot(for: keyPath)
    case .name(let name): description.slot(named: name)
    case .cast: nil
    }
  }

  /// The steps that a key path through to-one relationships consists of; nil for other steps.
  fileprivate func names(at step: PathStep) -> [PathStep]? {
    guard case .keyPath(let keyPath) = step, let slots = description.path(for: keyPath) else {
      return nil
    }
    var names: [PathStep] = []
    var owner = description
    for slot in slots {
      let property = owner.properties[slot]
      names.append(.name(property.name))
      if let next = property.relationship?.destination() { owner = next }
    }
    return names
  }
}
