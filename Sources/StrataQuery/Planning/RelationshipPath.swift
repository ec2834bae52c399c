// SPDX-License-Identifier: Apache-2.0
import StrataModel
package import StrataRecord

/// A path over to-one and to-many relationships. A fetch loads the path's targets with its objects.
package struct RelationshipPath: Sendable {
  /// The relationships in order. Each belongs to the destination of the one before.
  package let steps: [RelationshipSchema]

  /// - Throws: `unknownProperty`, `tooManySteps`; `unfitProperty` if a step is an attribute.
  package init(
    _ path: PathReference, from entity: EntitySchema, in schema: Schema
  ) throws(QueryError) {
    try path.requireLength()
    var owner = entity
    var steps: [RelationshipSchema] = []
    for step in path.steps {
      let slot = try owner.slot(at: step)
      guard let relationship = owner.relationships[slot],
        let destination = schema.entity(relationship.destination)
      else {
        throw .unfitProperty(
          entity: owner.description.name, property: owner.description.properties[slot].name)
      }
      steps.append(relationship)
      owner = destination
    }
    self.steps = steps
  }
}
