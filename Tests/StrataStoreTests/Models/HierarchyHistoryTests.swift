// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataModel
import StrataRecord
import StrataStore
import StrataTestSupport
import Testing

/// Two entities that get a common superentity and lose it again, while attributes move between
/// them, in a store that is opened again and again; and the same objects as dictionaries.
private struct Hierarchy: Model {
  private class Thing {}

  private enum Side: String, CaseIterable {
    case left = "Left"
    case right = "Right"
  }

  /// The form of the model.
  private struct Form {
    /// The entities that inherit from `Top`, which exists if there are any.
    var lower: Set<Side> = []
    /// The attributes of each entity, inherited ones included.
    var names: [Side: Set<String>] = [.left: ["a", "b"], .right: ["b", "c"]]
    /// The attributes that `Top` declares; all of its entities have them.
    var upper: Set<String> = []
    var indexed: Set<String> = ["b"]
    var defaults: [String: Int64] = [:]
  }

  private static let pool = ["a", "b", "c", "d"]

  var random: ModelRandom
  private let folder: TemporaryDirectory
  private var form = Form()
  private var entities: [String: EntityDescription]
  private var store: LMDBStore
  private var objects: [Side: [ObjectKey: [String: Int64]]] = [.left: [:], .right: [:]]

  init(_ random: ModelRandom) throws {
    self.random = random
    folder = try TemporaryDirectory()
    entities = Self.entities(form)
    store = try LMDBStore.open(
      at: folder.file("store").path,
      model: ManagedObjectModel(entities: Array(entities.values)), durability: .none)
  }

  private static func entities(_ form: Form) -> [String: EntityDescription] {
    func attributes(_ names: Set<String>) -> [PropertyDescription] {
      names.sorted().map { name in
        .attribute(
          AttributeDescription(
            name, type: .int64, isOptional: false,
            defaultValue: .int(form.defaults[name] ?? 0),
            options: form.indexed.contains(name) ? [.indexed] : []))
      }
    }
    let top = EntityDescription(
      "Top", class: Thing.self, isAbstract: true, properties: attributes(form.upper))
    var entities = form.lower.isEmpty ? [:] : ["Top": top]
    for side in Side.allCases {
      let isLower = form.lower.contains(side)
      let own = (form.names[side] ?? []).subtracting(isLower ? form.upper : [])
      entities[side.rawValue] = EntityDescription(
        side.rawValue, class: Thing.self, superentity: isLower ? top : nil,
        properties: attributes(own))
    }
    return entities
  }

  static var operations: [ModelOperation<Hierarchy>] {
    [
      ModelOperation("insert", weight: 2) { try $0.insert() },
      ModelOperation("update", weight: 3) { try $0.update() },
      ModelOperation("evolve", weight: 3) { try $0.evolve() },
    ]
  }

  private mutating func insert() throws {
    for _ in 0..<(random.below(8) + 1) {
      guard let side = random.pick(Side.allCases), let entity = entities[side.rawValue] else {
        return
      }
      var values: [String: Int64] = [:]
      for name in (form.names[side] ?? []).sorted() { values[name] = Int64(random.below(30)) }
      var edit = Edit(store)
      let key = edit.insert(entity, values.mapValues { .int($0) })
      try edit.save()
      objects[side]?[key] = values
    }
  }

  private mutating func update() throws {
    guard let side = random.pick(Side.allCases),
      let key = objects[side]?.keys.sorted().randomElement(using: &random),
      let name = form.names[side]?.sorted().randomElement(using: &random)
    else { return }
    let value = Int64(random.below(30))
    var edit = Edit(store)
    try edit.update(key, [name: .int(value)])
    try edit.save()
    objects[side]?[key]?[name] = value
  }

  private mutating func evolve() throws {
    let former = form
    form.upper = []
    for side in Side.allCases where random.chance(3) {
      form.lower.formSymmetricDifference([side])
    }
    for name in Self.pool {
      if random.chance(4) { form.indexed.formSymmetricDifference([name]) }
      form.defaults[name] = Int64(random.below(30))
      for side in Side.allCases where random.chance(8) {
        form.names[side]?.formSymmetricDifference([name])
      }
      guard !form.lower.isEmpty, random.chance(2) else { continue }
      form.upper.insert(name)
      for side in form.lower { form.names[side]?.insert(name) }
    }
    var removing: Set<String> = form.lower.isEmpty ? ["Top"] : []
    for side in Side.allCases {
      let (names, formerNames) = (form.names[side] ?? [], former.names[side] ?? [])
      let (lost, gained) = (formerNames.subtracting(names), names.subtracting(formerNames))
      removing.formUnion(lost.map { "\(side.rawValue).\($0)" })
      for key in (objects[side] ?? [:]).keys {
        for name in lost { objects[side]?[key]?[name] = nil }
        for name in gained { objects[side]?[key]?[name] = form.defaults[name] }
      }
    }
    // An attribute of Top that no entity had.
    removing.formUnion(Self.pool.map { "Top.\($0)" })
    store.close()
    entities = Self.entities(form)
    store = try LMDBStore.open(
      at: folder.file("store").path,
      model: ManagedObjectModel(entities: Array(entities.values)),
      removing: DataRemoval(parsing: removing), durability: .none)
  }

  mutating func check() throws {
    let snapshot = try store.snapshot()
    for side in Side.allCases {
      guard let entity = entities[side.rawValue] else { continue }
      let objects = self.objects[side] ?? [:]
      let number = store.schema.of(entity).number
      try expectSame(try snapshot.count(of: number), objects.count, "objects of \(side)")
      for (key, values) in objects {
        for (name, value) in values {
          try expectSame(
            try store.value(name, of: key, in: snapshot), .int(value), "\(name) of \(key)")
        }
      }
      for name in (form.names[side] ?? []).intersection(form.indexed).sorted() {
        let isUpper = form.lower.contains(side) && form.upper.contains(name)
        try checkIndex(name, of: entity, isUpper ? form.lower : [side], in: snapshot)
      }
    }
  }

  private func checkIndex(
    _ name: String, of entity: EntityDescription, _ sides: Set<Side>, in snapshot: any Snapshot
  ) throws {
    var found: [ObjectKey] = []
    let index = store.schema.index(name, of: entity)
    try snapshot.scanIndex(index.number, in: KeyRange(), isReversed: false) { _, key in
      found.append(key)
      return .more
    }
    let all = sides.flatMap { (objects[$0] ?? [:]).map { ($0.value[name] ?? 0, $0.key) } }
    let expected = all.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map(\.1)
    try expectSame(found, expected, "the order by \(name)")
  }
}

@Suite struct `A store whose hierarchy changes again and again` {
  @Test func `has what a naive model of it has`() async {
    let failure = await ModelTest("hierarchy", sequences: 30, steps: 40, width: 2) {
      try Hierarchy($0)
    }.firstFailure()
    #expect(failure == nil)
  }
}
