// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataModel
import StrataRecord
import StrataStore
import StrataTestSupport
import Testing

/// An attribute of a model that changes.
private struct Attribute {
  var name: String
  /// The name in the model before.
  var originalName: String?
  var type: AttributeType
  var isOptional: Bool
  var defaultValue: PropertyValue
  var isIndexed: Bool
  /// Whether this step has changed whether it is optional: a model between would have filled values
  /// that the store never sees filled.
  var hasChangedNeed = false

  var options: Set<AttributeOption> { isIndexed ? [.indexed] : [] }
}

/// One entity whose attributes change, in a store that is opened again and again, and the same
/// objects as dictionaries. The rules for values are those of Docs/Decisions/049 and of Core Data's
/// inferred mapping models.
private struct Evolving: Model {
  private class Thing {}

  var random: ModelRandom
  private let folder: TemporaryDirectory
  private var attributes: [Attribute] = []
  private var isRenamed = false
  private var objects: [ObjectKey: [String: PropertyValue]] = [:]
  private var store: LMDBStore
  private var entity: EntityDescription
  private var nameCount = 0

  init(_ random: ModelRandom) throws {
    self.random = random
    folder = try TemporaryDirectory()
    var first = Attribute(
      name: "a0", originalName: nil, type: .int16, isOptional: false, defaultValue: .null,
      isIndexed: true)
    first.isIndexed = self.random.chance(2)
    attributes = [first]
    nameCount = 1
    entity = Self.entity(attributes, isRenamed: false)
    store = try LMDBStore.open(
      at: folder.file("store").path, model: ManagedObjectModel(entities: [entity]),
      durability: .none)
  }

  private static func entity(_ attributes: [Attribute], isRenamed: Bool) -> EntityDescription {
    EntityDescription(
      isRenamed ? "Second" : "First", class: Thing.self,
      originalName: isRenamed ? "First" : "Second",
      properties: attributes.map {
        .attribute(
          AttributeDescription(
            $0.name, type: $0.type, isOptional: $0.isOptional, defaultValue: $0.defaultValue,
            options: $0.options, originalName: $0.originalName))
      })
  }

  static var operations: [ModelOperation<Evolving>] {
    [
      ModelOperation("insert", weight: 3) { try $0.insert() },
      ModelOperation("update", weight: 3) { try $0.update() },
      ModelOperation("delete") { try $0.delete() },
      ModelOperation("evolve", weight: 3) { try $0.evolve() },
      ModelOperation("reopen") { try $0.reopen(removing: []) },
    ]
  }

  // MARK: - Objects

  private mutating func value(_ attribute: Attribute) -> PropertyValue {
    if attribute.isOptional, random.chance(3) { return .null }
    let number = random.below(200) - 100
    switch attribute.type {
    case .string: return .string("text \(number)")
    case .double: return .double(Double(number) / 4)
    case .float: return .double(Double(number) / 2)
    default: return .int(Int64(number))
    }
  }

  private mutating func insert() throws {
    for _ in 0..<(random.below(20) + 1) {
      var edit = Edit(store)
      let values = newValues()
      objects[edit.insert(entity, values)] = values
      try edit.save()
    }
  }

  private mutating func newValues() -> [String: PropertyValue] {
    var values: [String: PropertyValue] = [:]
    for attribute in attributes { values[attribute.name] = value(attribute) }
    return values
  }

  private mutating func update() throws {
    guard let key = objects.keys.sorted().randomElement(using: &random),
      let attribute = attributes.randomElement(using: &random)
    else { return }
    var edit = Edit(store)
    let new = value(attribute)
    try edit.update(key, [attribute.name: new])
    try edit.save()
    objects[key]?[attribute.name] = new
  }

  private mutating func delete() throws {
    guard let key = objects.keys.sorted().randomElement(using: &random) else { return }
    var edit = Edit(store)
    try edit.delete(key)
    try edit.save()
    objects[key] = nil
  }

  // MARK: - The model

  private mutating func evolve() throws {
    var removing: Set<String> = []
    for index in attributes.indices {
      attributes[index].originalName = nil
      attributes[index].hasChangedNeed = false
    }
    for _ in 0..<(random.below(3) + 1) { try change(&removing) }
    if random.chance(5) { isRenamed.toggle() }
    try reopen(removing: removing)
  }

  private mutating func change(_ removing: inout Set<String>) throws {
    let place = random.below(attributes.count)
    let attribute = attributes[place]
    // A second change of one attribute would be of a model that never was.
    let isFresh = attribute.originalName != nil
    switch random.below(7) {
    case 0, 1: add()
    case 2:
      guard attributes.count > 1, !isFresh else { return }
      removing.insert("\(entity.name).\(attribute.name)")
      attributes.remove(at: place)
      for key in objects.keys { objects[key]?[attribute.name] = nil }
    case 3:
      guard !isFresh else { return }
      rename(place)
    case 4: widen(place)
    case 5: attributes[place].isIndexed.toggle()
    default: changeNeed(place)
    }
  }

  private mutating func add() {
    let type = random.pick([AttributeType.int8, .int32, .float, .string]) ?? .int8
    let number = Int64(random.below(50))
    let isOptional = random.chance(2)
    var value: PropertyValue =
      switch type {
      case .string: .string("default \(number)")
      case .float: .double(Double(number))
      default: .int(number)
      }
    if isOptional, random.chance(2) { value = .null }
    // Its own original name, which the store does not know: it is new.
    let name = "a\(nameCount)"
    nameCount += 1
    attributes.append(
      Attribute(
        name: name, originalName: name, type: type, isOptional: isOptional, defaultValue: value,
        isIndexed: random.chance(2)))
    for key in objects.keys { objects[key]?[name] = value }
  }

  private mutating func rename(_ place: Int) {
    let (former, name) = (attributes[place].name, "a\(nameCount)")
    nameCount += 1
    attributes[place].originalName = former
    attributes[place].name = name
    for key in objects.keys {
      let value = objects[key]?.removeValue(forKey: former)
      objects[key]?[name] = value
    }
  }

  private mutating func widen(_ place: Int) {
    let wider: [AttributeType: AttributeType] = [
      .int8: .int16, .int16: .int32, .int32: .int64, .float: .double,
    ]
    var type = wider[attributes[place].type]
    if attributes[place].type == .int32, random.chance(2) { type = .double }
    guard let type else { return }
    attributes[place].type = type
    guard type == .double else { return }
    func converted(_ value: PropertyValue?) -> PropertyValue? {
      if case .int(let number)? = value { .double(Double(number)) } else { value }
    }
    attributes[place].defaultValue = converted(attributes[place].defaultValue) ?? .null
    let name = attributes[place].name
    for key in objects.keys {
      let value = converted(objects[key]?[name])
      objects[key]?[name] = value
    }
  }

  /// Changes whether the attribute is optional, and its default.
  private mutating func changeNeed(_ place: Int) {
    let attribute = attributes[place]
    // An attribute that is new in this step has given its default to existing objects.
    if attribute.originalName == attribute.name || attribute.hasChangedNeed { return }
    attributes[place].hasChangedNeed = true
    attributes[place].defaultValue =
      switch attribute.type {
      case .string: .string("later \(random.below(9))")
      case .float, .double: .double(Double(random.below(9)))
      default: .int(Int64(random.below(9)))
      }
    attributes[place].isOptional = random.chance(2)
    if attribute.isOptional, !attributes[place].isOptional {
      for key in objects.keys where objects[key]?[attribute.name] == .null {
        objects[key]?[attribute.name] = attributes[place].defaultValue
      }
    }
  }

  private mutating func reopen(removing: Set<String>) throws {
    store.close()
    entity = Self.entity(attributes, isRenamed: isRenamed)
    store = try LMDBStore.open(
      at: folder.file("store").path, model: ManagedObjectModel(entities: [entity]),
      removing: DataRemoval(parsing: removing), durability: .none)
  }

  // MARK: - Comparing

  mutating func check() throws {
    let snapshot = try store.snapshot()
    let schema = store.schema.of(entity)
    try expectSame(try snapshot.count(of: schema.number), objects.count, "objects")
    for (key, values) in objects {
      for (name, value) in values {
        try expectSame(try store.value(name, of: key, in: snapshot), value, "\(name) of \(key)")
      }
    }
    for attribute in attributes where attribute.isIndexed {
      let index = store.schema.index(attribute.name, of: entity)
      var found: [ObjectKey] = []
      try snapshot.scanIndex(index.number, in: KeyRange(), isReversed: false) { _, key in
        found.append(key)
        return .more
      }
      let name = attribute.name
      let expected = objects.keys.sorted {
        (Self.rank(objects[$0]?[name]), $0) < (Self.rank(objects[$1]?[name]), $1)
      }
      try expectSame(found, expected, "the order by \(name)")
    }
  }

  /// Nothing comes first; then numbers by size, and texts as these texts sort.
  private static func rank(_ value: PropertyValue?) -> Rank {
    switch value {
    case .int(let number)?: Rank(number: Double(number), text: "")
    case .double(let number)?: Rank(number: number, text: "")
    case .string(let text)?: Rank(number: 0, text: text)
    default: Rank(number: -.infinity, text: "")
    }
  }

  private struct Rank: Comparable {
    let number: Double
    let text: String

    static func < (left: Rank, right: Rank) -> Bool {
      (left.number, left.text) < (right.number, right.text)
    }
  }
}

@Suite struct `A store whose model changes again and again` {
  @Test func `has what a naive model of it has`() async {
    let failure = await ModelTest("evolution", sequences: 30, steps: 40, width: 2) {
      try Evolving($0)
    }.firstFailure()
    #expect(failure == nil)
  }
}
