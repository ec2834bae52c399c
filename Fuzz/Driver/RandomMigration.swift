// SPDX-License-Identifier: Apache-2.0
import Strata
import StrataModel

/// Two models and the objects of a small store of the first one; and, from the guide Migrating.md and
/// the cases of `ModelMismatch` alone, what opening the store with the second model must do.
struct RandomMigration: Sendable {
  /// A value, `nil` for none, as a text.
  typealias Value = String?

  private(set) var former = ModelOutline(entities: [])
  private(set) var present = ModelOutline(entities: [])
  private(set) var additions = OutlineAdditions()
  /// The data that may be deleted.
  private(set) var removing: Set<String> = []
  /// The values of the objects, by entity: of each object by attribute. The target of the
  /// relationship `link` is the index of an object.
  private(set) var objects: [String: [[String: String]]] = [:]

  // What is expected.
  /// The differences that cannot be inferred, as `Entity` or `Entity.property`.
  private(set) var mismatches: Set<String> = []
  /// Whether objects have the same value of an attribute that is unique now.
  private(set) var hasDuplicates = false
  /// The present entities of the former ones that stay.
  private(set) var entities: [String: String] = [:]
  /// The values of the objects after the migration, by present entity.
  private(set) var expected: [String: [[String: String]]] = [:]

  init(using random: inout some RandomNumberGenerator) {
    let count = Int.random(in: 1...3, using: &random)
    for index in 0..<count { addEntity("E\(index)", using: &random) }
    if count > 1, Bool.random(using: &random) { link(using: &random) }
    for entity in former.entities { change(entity, using: &random) }
    for index in 0..<Int.random(in: 0...1, using: &random) {
      let name = "New\(index)"
      present.entities.append(Self.entity(name, [Self.attribute("a", using: &random)]))
      expected[name] = []
    }
    unlink(using: &random)
    former = Self.sorted(former)
    present = Self.sorted(present)
  }

  // MARK: - The first model

  private static let types: [AttributeType] = [.bool, .int16, .int32, .int64, .uint16, .string]

  private static func entity(
    _ name: String, _ attributes: [ModelOutline.Attribute]
  ) -> ModelOutline.Entity {
    ModelOutline.Entity(
      name: name, superentity: nil, isAbstract: false, attributes: attributes, relationships: [],
      uniqueTogether: nil, indexes: nil)
  }

  private static func attribute(
    _ name: String, using random: inout some RandomNumberGenerator
  ) -> ModelOutline.Attribute {
    let type = types.randomElement(using: &random) ?? .string
    return ModelOutline.Attribute(
      name: name, type: type, isOptional: Bool.random(using: &random), isUnique: false,
      isIndexed: Bool.random(using: &random), isTransient: false, isExternal: nil,
      isFullText: type == .string && Bool.random(using: &random) ? true : nil)
  }

  private static func sorted(_ outline: ModelOutline) -> ModelOutline {
    var outline = outline
    outline.entities.sort { $0.name < $1.name }
    for index in outline.entities.indices {
      outline.entities[index].attributes.sort { $0.name < $1.name }
      outline.entities[index].relationships.sort { $0.name < $1.name }
    }
    return outline
  }

  private mutating func addEntity(
    _ name: String, using random: inout some RandomNumberGenerator
  ) {
    let attributes = (0..<Int.random(in: 0...4, using: &random)).map {
      Self.attribute("a\($0)", using: &random)
    }
    former.entities.append(Self.entity(name, attributes))
    objects[name] = (0..<Int.random(in: 0...4, using: &random)).map { _ in
      var values: [String: String] = [:]
      for attribute in attributes
      where !attribute.isOptional || Int.random(in: 0..<3, using: &random) > 0 {
        values[attribute.name] = Self.value(attribute.type, using: &random)
      }
      return values
    }
  }

  private static func value(
    _ type: AttributeType, using random: inout some RandomNumberGenerator
  ) -> String {
    switch type {
    case .bool: Bool.random(using: &random) ? "true" : "false"
    case .string: "t\(Int.random(in: 0...9, using: &random))"
    case .uint16: "\(Int.random(in: 0...30, using: &random))"
    default: "\(Int.random(in: -15...15, using: &random))"
    }
  }

  /// Links the first entity to the second one.
  private mutating func link(using random: inout some RandomNumberGenerator) {
    former.entities[0].relationships = [Self.link(to: "E1")]
    former.entities[1].relationships = [Self.links(from: "E0")]
    let count = objects["E1"]?.count ?? 0
    for index in objects["E0"]?.indices ?? 0..<0
    where count > 0 && Bool.random(using: &random) {
      objects["E0"]?[index]["link"] = "\(Int.random(in: 0..<count, using: &random))"
    }
  }

  private static func link(to destination: String) -> ModelOutline.Relationship {
    ModelOutline.Relationship(
      name: "link", kind: .toOne, destination: destination, inverse: "\(destination).links")
  }

  private static func links(from destination: String) -> ModelOutline.Relationship {
    ModelOutline.Relationship(
      name: "links", kind: .toMany, destination: destination, inverse: "\(destination).link")
  }

  // MARK: - The second model

  private mutating func change(
    _ entity: ModelOutline.Entity, using random: inout some RandomNumberGenerator
  ) {
    var name = entity.name
    switch Int.random(in: 0..<8, using: &random) {
    case 0: return remove(entity.name, using: &random)
    case 1, 2:
      name = "Renamed" + name
      additions.originalNames[name] = entity.name
    default: break
    }
    entities[entity.name] = name
    var rows = [[String: String]](repeating: [:], count: objects[entity.name]?.count ?? 0)
    var attributes: [ModelOutline.Attribute] = []
    for attribute in entity.attributes {
      change(attribute, of: entity.name, name, &rows, using: &random).map { attributes.append($0) }
    }
    for index in 0..<Int.random(in: 0...1, using: &random) {
      let attribute = Self.attribute("new\(index)", using: &random)
      let preset = preset(attribute, of: name, using: &random)
      if !attribute.isOptional, preset == nil { mismatches.insert("\(name).\(attribute.name)") }
      for row in rows.indices { rows[row][attribute.name] = preset }
      attributes.append(attribute)
    }
    present.entities.append(Self.entity(name, attributes))
    expected[name] = rows
  }

  /// Removes data, which a program has allowed or not.
  private mutating func remove(_ name: String, using random: inout some RandomNumberGenerator) {
    if Int.random(in: 0..<3, using: &random) > 0 {
      removing.insert(name)
    } else {
      mismatches.insert(name)
    }
  }

  /// Gives an attribute a default, or none.
  private mutating func preset(
    _ attribute: ModelOutline.Attribute, of entity: String,
    using random: inout some RandomNumberGenerator
  ) -> Value {
    guard Bool.random(using: &random) else { return nil }
    let value = Self.value(attribute.type, using: &random)
    additions.defaults["\(entity).\(attribute.name)"] = Self.value(value, attribute.type)
    return value
  }

  /// The attribute in the second model, nil if it is gone; and the values of the objects.
  private mutating func change(
    _ former: ModelOutline.Attribute, of formerEntity: String, _ entity: String,
    _ rows: inout [[String: String]], using random: inout some RandomNumberGenerator
  ) -> ModelOutline.Attribute? {
    var attribute = former
    if Int.random(in: 0..<6, using: &random) == 0 {
      remove("\(formerEntity).\(former.name)", using: &random)
      return nil
    }
    if Int.random(in: 0..<4, using: &random) == 0 {
      attribute.name = "renamed" + former.name
      additions.originalNames["\(entity).\(attribute.name)"] = former.name
    }
    let name = "\(entity).\(attribute.name)"
    if Int.random(in: 0..<3, using: &random) == 0 {
      attribute.type = Self.types.randomElement(using: &random) ?? former.type
      if !Self.isHeld(former.type, by: attribute.type) { mismatches.insert(name) }
    }
    if Int.random(in: 0..<4, using: &random) == 0 { attribute.isOptional.toggle() }
    if Int.random(in: 0..<4, using: &random) == 0 { attribute.isIndexed.toggle() }
    if attribute.type != .string {
      attribute.isFullText = nil
    } else if Int.random(in: 0..<4, using: &random) == 0 {
      attribute.isFullText = attribute.isFullText == nil ? true : nil
    }
    let preset = preset(attribute, of: entity, using: &random)
    let needsValue = former.isOptional && !attribute.isOptional
    if needsValue, preset == nil { mismatches.insert(name) }
    var values: [String] = []
    for (row, object) in (objects[formerEntity] ?? []).enumerated() {
      let value = object[former.name] ?? (needsValue ? preset : nil)
      rows[row][attribute.name] = value
      if let value { values.append(value) }
    }
    if Int.random(in: 0..<6, using: &random) == 0 {
      attribute.isUnique = true
      attribute.isIndexed = true
      if Set(values).count < values.count { hasDuplicates = true }
    }
    return attribute
  }

  /// Whether a type can hold all values of another one.
  private static func isHeld(_ former: AttributeType, by type: AttributeType) -> Bool {
    let integers: [AttributeType: ClosedRange<Int64>] = [
      .int16: Int64(Int16.min)...Int64(Int16.max), .int32: Int64(Int32.min)...Int64(Int32.max),
      .int64: Int64.min...Int64.max, .uint16: 0...Int64(UInt16.max),
    ]
    guard let inner = integers[former], let outer = integers[type] else { return former == type }
    return outer.contains(inner.lowerBound) && outer.contains(inner.upperBound)
  }

  /// Keeps the relationship if both of its entities stay.
  private mutating func unlink(using random: inout some RandomNumberGenerator) {
    guard former.entities[0].relationships.count == 1 else { return }
    guard let source = entities["E0"] else { return }
    let isKept = Int.random(in: 0..<4, using: &random) > 0
    guard let target = entities["E1"], isKept,
      let sourceIndex = present.entities.firstIndex(where: { $0.name == source }),
      let targetIndex = present.entities.firstIndex(where: { $0.name == target })
    else {
      // The other side has no data of its own.
      return remove("E0.link", using: &random)
    }
    present.entities[sourceIndex].relationships = [Self.link(to: target)]
    present.entities[targetIndex].relationships = [Self.links(from: source)]
    for (row, object) in (objects["E0"] ?? []).enumerated() {
      expected[source]?[row]["link"] = object["link"]
    }
  }

  // MARK: - Values

  static func value(_ text: String, _ type: AttributeType) -> PropertyValue {
    switch type {
    case .bool: .bool(text == "true")
    case .string: .string(text)
    case .uint16: .uint(UInt64(text) ?? 0)
    default: .int(Int64(text) ?? 0)
    }
  }

  static func text(_ value: PropertyValue) -> Value {
    switch value {
    case .bool(let bool): "\(bool)"
    case .int(let number): "\(number)"
    case .uint(let number): "\(number)"
    case .string(let text): text
    default: nil
    }
  }
}
