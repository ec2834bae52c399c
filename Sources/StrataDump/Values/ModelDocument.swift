// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
package import StrataModel

/// A store's model as JSON: as `strata model --json` prints it, `strata migrate` reads it, and a
/// dump begins.
///
/// ```json
/// {"entities":[{"name":"City","attributes":[{"name":"population","type":"int64"}],
///   "relationships":[{"name":"country","kind":"toOne","destination":"Country",
///     "inverse":"Country.cities"}]}]}
/// ```
///
/// The two sides of an inverse name each other. Members that are false or empty are left out. For a
/// migration, an entity or a property may have `originalName`, and an attribute `default`.
package struct ModelDocument {
  package let outline: ModelOutline
  package let additions: OutlineAdditions

  /// The document has another form than a model.
  package struct Failure: Error {
    package let reason: String
  }

  package init(_ model: ManagedObjectModel) {
    outline = ModelOutline(model)
    additions = OutlineAdditions()
  }

  // MARK: - Writing

  package var json: JSONValue {
    .object(["entities": .array(outline.entities.map { Self.json($0) })])
  }

  private static func json(_ entity: ModelOutline.Entity) -> JSONValue {
    func list(_ lists: [[String]]?) -> JSONValue? {
      lists.map { .array($0.map(JSONValue.strings)) }
    }
    return .object([
      "name": .string(entity.name), "superentity": entity.superentity.map(JSONValue.string),
      "isAbstract": flag(entity.isAbstract),
      "attributes": entity.attributes.isEmpty ? nil : .array(entity.attributes.map { json($0) }),
      "relationships": entity.relationships.isEmpty
        ? nil : .array(entity.relationships.map { json($0) }),
      "uniqueTogether": list(entity.uniqueTogether), "indexes": list(entity.indexes),
    ])
  }

  private static func json(_ attribute: ModelOutline.Attribute) -> JSONValue {
    .object([
      "name": .string(attribute.name), "type": .string("\(attribute.type)"),
      "isOptional": flag(attribute.isOptional), "isUnique": flag(attribute.isUnique),
      "isIndexed": flag(attribute.isIndexed), "isTransient": flag(attribute.isTransient),
      "isExternal": flag(attribute.isExternal ?? false),
      "isFullText": flag(attribute.isFullText ?? false),
    ])
  }

  private static func json(_ relationship: ModelOutline.Relationship) -> JSONValue {
    .object([
      "name": .string(relationship.name), "kind": .string("\(relationship.kind)"),
      "destination": .string(relationship.destination),
      "inverse": relationship.inverse.map { .string($0) },
    ])
  }

  private static func flag(_ flag: Bool) -> JSONValue? { flag ? .bool(true) : nil }

  // MARK: - Reading

  /// - Throws: `Failure`.
  package init(_ json: JSONValue) throws(Failure) {
    var reader = Reader()
    outline = try reader.outline(json)
    additions = reader.additions
  }

  /// The model, whose entities have the class `ManagedObject`.
  ///
  /// - Parameter checksNames: whether names that no program's model may have are refused. A store
  ///   that an earlier release made may have any names.
  package func model(checksNames: Bool) throws(ModelError) -> ManagedObjectModel {
    try ManagedObjectModel(
      outline, class: ManagedObject.self, adding: additions, checksNames: checksNames)
  }

  private struct Reader {
    var additions = OutlineAdditions()

    mutating func outline(_ json: JSONValue) throws(Failure) -> ModelOutline {
      var entities: [ModelOutline.Entity] = []
      for entity in try elements("entities", of: json, "the model", isRequired: true) {
        entities.append(try self.entity(entity))
      }
      try checkInverses(entities)
      return ModelOutline(entities: entities.sorted { $0.name < $1.name })
    }

    /// An outline keeps the inverse of one side alone: a name that leads nowhere would be lost.
    private func checkInverses(_ entities: [ModelOutline.Entity]) throws(Failure) {
      var inverses: [String: String] = [:]
      for entity in entities {
        for relationship in entity.relationships {
          inverses["\(entity.name).\(relationship.name)"] = relationship.inverse
        }
      }
      for (name, inverse) in inverses.sorted(by: { $0.key < $1.key })
      where inverses[inverse] != name {
        throw Failure(
          reason: "the “inverse” of \(name) is not a relationship, as in “Country.cities”, that "
            + "has \(name) as its own")
      }
    }

    private mutating func entity(_ json: JSONValue) throws(Failure) -> ModelOutline.Entity {
      let name = try self.name(of: json, "an entity")
      additions.originalNames[name] = try string("originalName", of: json, name)
      var attributes: [ModelOutline.Attribute] = []
      for attribute in try elements("attributes", of: json, name) {
        attributes.append(try self.attribute(attribute, of: name))
      }
      var relationships: [ModelOutline.Relationship] = []
      for relationship in try elements("relationships", of: json, name) {
        relationships.append(try self.relationship(relationship, of: name))
      }
      return ModelOutline.Entity(
        name: name, superentity: try string("superentity", of: json, name),
        isAbstract: try flag("isAbstract", of: json, name),
        attributes: attributes.sorted { $0.name < $1.name },
        relationships: relationships.sorted { $0.name < $1.name },
        uniqueTogether: try lists("uniqueTogether", of: json, name),
        indexes: try lists("indexes", of: json, name))
    }

    private mutating func attribute(
      _ json: JSONValue, of entity: String
    ) throws(Failure) -> ModelOutline.Attribute {
      let name = try self.name(of: json, "an attribute of \(entity)")
      let full = "\(entity).\(name)"
      guard let typeName = try string("type", of: json, full), let type = Self.types[typeName]
      else {
        throw Failure(
          reason: "\(full) has no type of \(Self.types.keys.sorted().joined(separator: ", "))")
      }
      additions.originalNames[full] = try string("originalName", of: json, full)
      if let value = json["default"], value != .null {
        guard let known = DumpedValue.value(of: value, as: type) else {
          throw Failure(reason: "the default of \(full) is not of type \(type)")
        }
        additions.defaults[full] = known
      }
      let isUnique = try flag("isUnique", of: json, full)
      let isExternal = try flag("isExternal", of: json, full)
      return ModelOutline.Attribute(
        name: name, type: type, isOptional: try flag("isOptional", of: json, full),
        isUnique: isUnique, isIndexed: try flag("isIndexed", of: json, full) || isUnique,
        isTransient: try flag("isTransient", of: json, full), isExternal: isExternal ? true : nil,
        isFullText: try flag("isFullText", of: json, full) ? true : nil)
    }

    private mutating func relationship(
      _ json: JSONValue, of entity: String
    ) throws(Failure) -> ModelOutline.Relationship {
      let name = try self.name(of: json, "a relationship of \(entity)")
      let full = "\(entity).\(name)"
      guard let kindName = try string("kind", of: json, full), let kind = Self.kinds[kindName]
      else { throw Failure(reason: "\(full) has no kind: toOne, toMany or orderedToMany") }
      guard let destination = try string("destination", of: json, full) else {
        throw Failure(reason: "\(full) has no destination")
      }
      additions.originalNames[full] = try string("originalName", of: json, full)
      return ModelOutline.Relationship(
        name: name, kind: kind, destination: destination,
        inverse: try string("inverse", of: json, full))
    }

    // MARK: - Members

    private func name(of json: JSONValue, _ owner: String) throws(Failure) -> String {
      guard let name = try string("name", of: json, owner), !name.isEmpty else {
        throw Failure(reason: "\(owner) has no name")
      }
      return name
    }

    private func string(
      _ member: String, of json: JSONValue, _ owner: String
    ) throws(Failure) -> String? {
      guard let value = json[member], value != .null else { return nil }
      guard let string = value.string else {
        throw Failure(reason: "“\(member)” of \(owner) is not a string")
      }
      return string
    }

    private func flag(
      _ member: String, of json: JSONValue, _ owner: String
    ) throws(Failure) -> Bool {
      guard let value = json[member] else { return false }
      guard let flag = value.bool else {
        throw Failure(reason: "“\(member)” of \(owner) is neither true nor false")
      }
      return flag
    }

    private func elements(
      _ member: String, of json: JSONValue, _ owner: String, isRequired: Bool = false
    ) throws(Failure) -> [JSONValue] {
      if !isRequired, json[member] == nil { return [] }
      guard let elements = json[member]?.elements else {
        throw Failure(reason: "“\(member)” of \(owner) is not an array")
      }
      return elements
    }

    private func lists(
      _ member: String, of json: JSONValue, _ owner: String
    ) throws(Failure) -> [[String]]? {
      var lists: [[String]] = []
      for list in try elements(member, of: json, owner) {
        let names = (list.elements ?? []).compactMap(\.string)
        guard let elements = list.elements, names.count == elements.count else {
          throw Failure(reason: "“\(member)” of \(owner) is not an array of arrays of names")
        }
        lists.append(names)
      }
      return lists.isEmpty ? nil : lists.sorted { $0.lexicographicallyPrecedes($1) }
    }

    private static let types = Dictionary(
      uniqueKeysWithValues: (UInt8(1)...18).compactMap(AttributeType.init(rawValue:))
        .map { ("\($0)", $0) })

    private static let kinds = Dictionary(
      uniqueKeysWithValues: (UInt8(1)...3).compactMap(RelationshipDescription.Kind.init(rawValue:))
        .map { ("\($0)", $0) })
  }
}
