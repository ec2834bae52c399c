// SPDX-License-Identifier: Apache-2.0

// The checks of the rules and derivations of properties. Saves check whether values satisfy the
// rules.

extension ManagedObjectModel {
  static func checkRules(of entity: EntityDescription) throws(ModelError) {
    for property in entity.ownProperties {
      switch property {
      case .attribute(let attribute): try checkRules(of: attribute, of: entity.name)
      case .relationship(let relationship): try checkCounts(of: relationship, of: entity.name)
      }
    }
  }

  private static func checkRules(
    of attribute: AttributeDescription, of entity: String
  ) throws(ModelError) {
    for rule in attribute.rules {
      guard rule.fits(attribute.type) else {
        throw .unfitRule(entity: entity, property: attribute.name, rule: rule.description)
      }
      guard case .matches(let pattern) = rule else { continue }
      do { _ = try Regex(pattern) } catch {
        throw .invalidPattern(
          entity: entity, property: attribute.name, pattern: pattern, reason: "\(error)")
      }
    }
    try checkMergeRule(of: attribute, of: entity)
  }

  /// One rule at most, for a value that saves set and store.
  private static func checkMergeRule(
    of attribute: AttributeDescription, of entity: String
  ) throws(ModelError) {
    guard let rule = attribute.mergeRule else { return }
    let count = attribute.options.count { if case .merges = $0 { true } else { false } }
    guard count == 1, rule.fits(attribute), !attribute.isTransient, !attribute.isExternal,
      attribute.derivation == nil
    else {
      throw .unfitMergeRule(
        entity: entity, property: attribute.name, rule: rule.description)
    }
  }

  /// - Important: To be called when every relationship is known to lead to an entity of the model.
  static func checkDerivations(of entity: EntityDescription) throws(ModelError) {
    for case .attribute(let attribute) in entity.ownProperties {
      let count = attribute.options.count { if case .derived = $0 { true } else { false } }
      if count == 0 { continue }
      guard count == 1, !attribute.isTransient, entity.derivation(of: attribute) != nil else {
        throw .unfitDerivation(entity: entity.name, property: attribute.name)
      }
    }
  }

  /// A minimum count of 1 would have no effect, because an empty relationship violates no count:
  /// use `.required` for that.
  private static func checkCounts(
    of relationship: RelationshipDescription, of entity: String
  ) throws(ModelError) {
    for case .count(let min, let max) in relationship.options {
      let isIdle = min <= 1 && max == nil
      guard relationship.isToMany, min >= 0, !isIdle, max.map({ $0 >= Swift.max(min, 1) }) ?? true
      else {
        throw .unfitRule(
          entity: entity, property: relationship.name,
          rule: ".count(\(min)...\(max.map(String.init) ?? ""))")
      }
    }
    if let max = relationship.maxCount, max < relationship.minCount {
      throw .unfitRule(
        entity: entity, property: relationship.name,
        rule: ".count(\(relationship.minCount)...) and .count(...\(max))")
    }
  }
}
