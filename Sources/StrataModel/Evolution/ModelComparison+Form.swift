// SPDX-License-Identifier: Apache-2.0

// Whether the stored form of a property's values is the form of the property that continues it.

extension ModelComparison {
  /// The difference between the forms of an attribute's values; nil if stored values stay.
  func changedForm(
    of former: ModelOutline.Attribute, to attribute: AttributeDescription
  ) -> ModelMismatch.Kind? {
    if (former.isExternal ?? false) != attribute.isExternal { return .changedStorage }
    if attribute.type.widens(former.type) { return nil }
    return .changedType(from: former.type, to: attribute.type)
  }

  /// Whether a property has the form of a stored one, so that its values stay.
  func isContinued(
    _ match: Property, by property: PropertyDescription, _ present: Property
  ) -> Bool {
    switch property {
    case .attribute(let attribute):
      stored.attribute(match).map { changedForm(of: $0, to: attribute) == nil } ?? false
    case .relationship(let relationship):
      stored.relationship(match).map { isContinued($0, by: relationship, present) } ?? false
    }
  }

  /// Whether the stored form of a relationship does not depend on its other changes:
  ///
  /// | relationship | stored form | possible changes |
  /// | --- | --- | --- |
  /// | to-many, inverse to-one | none: the inverse's slots | the destination |
  /// | to-one, inverse not to-one | a slot | the inverse, as long as it is not to-one |
  /// | other | both sides | the name |
  func isContinued(
    _ former: ModelOutline.Relationship, by relationship: RelationshipDescription,
    _ present: Property
  ) -> Bool {
    guard former.kind == relationship.kind else { return false }
    let inverse = model.inverse(of: present)
    let formerInverse = stored.inverse(of: former)
    let (kind, formerKind) = (inverse.flatMap { self.kind(of: $0) }, stored.inverseKind(of: former))
    let successors = formerInverse.map { self.successors[$0] ?? [] } ?? []
    if relationship.isToMany, formerKind == .toOne {
      return kind == .toOne && inverse.map(successors.contains) == true
    }
    guard holdsTargets(of: former, relationship) else { return false }
    if !relationship.isToMany, kind != .toOne {
      guard let inverse, !successors.isEmpty else { return true }
      return formerKind != .toOne && (successors.contains(inverse) || !isContinuation(inverse))
    }
    guard formerKind == kind, let inverse else { return formerKind == kind && inverse == nil }
    return successors == [inverse]
  }

  /// Whether all objects that a stored relationship may lead to are objects of its destination.
  private func holdsTargets(
    of former: ModelOutline.Relationship, _ relationship: RelationshipDescription
  ) -> Bool {
    let destination = relationship.destination()
    let heirs = stored.heirs(of: former.destination).compactMap { stored[$0] }
      .filter { !$0.isAbstract }
    if heirs.isEmpty { return presentNames[former.destination] == destination.name }
    return heirs.allSatisfy { heir in
      // A removed entity that inherits must have no objects: `removedWithObjects`.
      guard let name = presentNames[heir.name] else { return heir.superentity != nil }
      return model.entity(named: name)?.isKind(of: destination) == true
    }
  }

  /// Whether a property continues a stored one.
  private func isContinuation(_ property: Property) -> Bool {
    successors.values.contains { $0.contains(property) }
  }

  private func kind(of property: Property) -> RelationshipDescription.Kind? {
    model.entity(named: property.entity)?.ownProperties
      .first { $0.name == property.property }?.relationship?.kind
  }
}
