// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataModel
import StrataTestSupport
import Testing

/// A reference to one of the objects of an entity, by its place among them, in either store.
private struct Spot {
  let entity: any Entity.Type
  let index: Int
}

/// One value of a row.
private enum Input {
  case text(String?)
  case number(Int)
  case picture(Data?)
  case target(Spot?)
  case members([Spot])
}

/// One row to insert, by the names of its properties.
private typealias Line = [String: Input]

/// A refusal in words that are the same for both stores: new objects have other IDs in each.
private func plain(_ error: any Error) -> [String] {
  switch error {
  case let error as BatchRowError: plain(error.underlyingError)
  case ContextError.validationFailed(let failures): Array(Set(failures.map(\.summary))).sorted()
  case StoreError.uniquenessViolations(let violations):
    Array(Set(violations.map { "\($0.entity) \($0.properties)" })).sorted()
  default: ["\(error)"]
  }
}

/// The IDs of the objects that one store had before.
private struct KnownObjects {
  private var ids: [ObjectIdentifier: [ObjectID]] = [:]

  init(of branch: WarehouseBranch) throws {
    let context = ManagedObjectContext(parent: branch.container.coordinator)
    try add(Rack.self, context)
    try add(Lid.self, context)
    try add(Crate.self, context)
    try add(Ware.self, context)
    try add(Depot.self, context)
    try add(Sticker.self, context)
  }

  private mutating func add<T: Entity>(
    _ type: T.Type, _ context: ManagedObjectContext
  ) throws {
    ids[ObjectIdentifier(type)] = try context.fetchIDs(T.all).sorted { $0.key < $1.key }
  }

  func count(of type: any Entity.Type) -> Int { ids[ObjectIdentifier(type)]?.count ?? 0 }

  func id(of place: Spot) throws -> ObjectID {
    try #require(ids[ObjectIdentifier(place.entity)])[place.index]
  }

  /// The value as a batch takes it.
  func value(_ cell: Input) throws -> Any? {
    switch cell {
    case .text(let text): text
    case .number(let number): number
    case .picture(let data): data
    case .target(let place): try place.map(id(of:))
    case .members(let places): try places.map(id(of:))
    }
  }

  func object<T: ManagedObject>(
    _ cell: Input?, _ context: ManagedObjectContext, as _: T.Type = T.self
  ) throws -> T? {
    guard case .target(let place?)? = cell else { return nil }
    return try context.existingObject(T.self, with: id(of: place))
  }

  func objects<T: ManagedObject>(
    _ cell: Input?, _ context: ManagedObjectContext, as _: T.Type = T.self
  ) throws -> [T] {
    guard case .members(let places)? = cell else { return [] }
    return try places.map { try context.existingObject(T.self, with: id(of: $0)) }
  }
}

extension Input {
  fileprivate var text: String? { if case .text(let text) = self { text } else { nil } }
  fileprivate var number: Int { if case .number(let number) = self { number } else { 0 } }
  fileprivate var picture: Data? { if case .picture(let data) = self { data } else { nil } }
}

/// Sets the values of a row in an object.
private func assign(
  _ line: Line, to object: ManagedObject, _ known: KnownObjects, _ context: ManagedObjectContext
) throws {
  switch object {
  case let ware as Ware:
    ware.label = line["label"]?.text ?? ""
    ware.value = line["value"]?.number ?? 0
    ware.rack = try known.object(line["rack"], context)
    if let picture = line["picture"] { ware.picture = picture.picture }
    for sticker in try known.objects(line["stickers"], context, as: Sticker.self) {
      ware.stickers.insert(sticker)
    }
    if let barrel = ware as? Barrel { barrel.litres = line["litres"]?.number ?? 0 }
    if let crate = ware as? Crate { crate.lid = try known.object(line["lid"], context) }
  case let lid as Lid:
    lid.colour = line["colour"]?.text
    lid.crate = try known.object(line["crate"], context)
  case let rack as Rack:
    rack.code = line["code"]?.text
    if let depot = line["depot"] { rack.depot = try known.object(depot, context) }
    for other in try known.objects(line["neighbours"], context, as: Rack.self) {
      rack.neighbours.insert(other)
    }
  case let sticker as Sticker:
    sticker.text = line["text"]?.text
    for ware in try known.objects(line["wares"], context, as: Ware.self) {
      sticker.wares.insert(ware)
    }
  case let visit as Visit:
    visit.day = line["day"]?.number ?? 0
    visit.depot = try known.object(line["depot"], context)
  case let memo as Memo:
    memo.text = line["text"]?.text
    memo.subject = try known.object(line["subject"], context)
    for ware in try known.objects(line["mentioned"], context, as: Ware.self) {
      memo.mentioned.insert(ware)
    }
    memo.kept = try known.object(line["kept"], context)
  default: Issue.record("a row of \(type(of: object))")
  }
}

/// The same rows inserted, or the same values set, by a batch in one store and object by object in
/// another.
private struct Comparison: Model {
  var random: ModelRandom
  private let batch: WarehouseBranch
  private let single: WarehouseBranch
  private let ofBatch: KnownObjects
  private let ofSingle: KnownObjects

  init(_ setup: ModelRandom) throws {
    random = setup
    let (seed, size) = (random.next(), random.pick([1, 7, 24, 60]) ?? 1)
    batch = try WarehouseBranch(seed: seed, wareCount: size)
    single = try WarehouseBranch(seed: seed, wareCount: size)
    ofBatch = try KnownObjects(of: batch)
    ofSingle = try KnownObjects(of: single)
    random.note("\(size) wares")
  }

  static var operations: [ModelOperation<Comparison>] {
    [
      ModelOperation("insert barrels") { try $0.insert(Barrel.init(context:)) { $0.barrel($1) } },
      ModelOperation("insert crates", weight: 2) {
        try $0.insert(Crate.init(context:)) { $0.crate($1) }
      },
      ModelOperation("insert lids") { try $0.insert(Lid.init(context:)) { $0.lid($1) } },
      ModelOperation("insert racks", weight: 2) {
        try $0.insert(Rack.init(context:)) { $0.rack($1) }
      },
      ModelOperation("insert stickers") {
        try $0.insert(Sticker.init(context:)) { $0.sticker($1) }
      },
      ModelOperation("insert visits") { try $0.insert(Visit.init(context:)) { $0.visit($1) } },
      ModelOperation("insert memos") { try $0.insert(Memo.init(context:)) { $0.memo($1) } },
      ModelOperation("upsert racks", weight: 3) { comparison in
        try comparison.insert(Rack.init(context:), matching: "code") { $0.rack($1) }
      },
      ModelOperation("update values") { comparison in
        try comparison.update(
          Ware.all.sorted(by: \.value), { $0.setting(\.value) { $0.value * 2 } }
        ) {
          let value = $0.value * 2
          return { $0.value = value }
        }
      },
      ModelOperation("update litres of some") { comparison in
        let request = Barrel.where { $0.litres > 4 }
        try comparison.update(
          request, { $0.setting(\.litres) { $0.litres + $0.value }.setting(\.value, to: 1) }
        ) {
          let litres = $0.litres + $0.value
          return {
            $0.litres = litres
            $0.value = 1
          }
        }
      },
      ModelOperation("update labels to one") { comparison in
        try comparison.update(Crate.all, { $0.setting(\.label, to: "one") }) { _ in
          { $0.label = "one" }
        }
      },
      ModelOperation("update racks", weight: 3) { try $0.move() },
      ModelOperation("update lids", weight: 2) { try $0.coverWith() },
      ModelOperation("update depots") { comparison in
        try comparison.update(Depot.where { $0.name != "depot 1" }, { $0.setting(\.name, to: "x") })
        {
          _ in { $0.name = "x" }
        }
      },
      ModelOperation("update codes") { comparison in
        try comparison.update(Rack.all, { $0.setting(\.code, to: nil) }) { _ in { $0.code = nil } }
      },
      ModelOperation("update visits") { comparison in
        try comparison.update(Visit.all, { $0.setting(\.depot, to: nil) }) { _ in
          { $0.depot = nil }
        }
      },
      ModelOperation("update pictures") { comparison in
        let picture = Data(repeating: 3, count: 900)
        try comparison.update(Crate.all, { $0.setting(\.picture, to: picture) }) { _ in
          { $0.picture = picture }
        }
      },
    ]
  }

  // MARK: - Rows

  private mutating func place(_ type: any Entity.Type) -> Spot? {
    let count = ofBatch.count(of: type)
    return count == 0 || random.chance(3) ? nil : Spot(entity: type, index: random.below(count))
  }

  private mutating func places(_ type: any Entity.Type) -> [Spot] {
    (0..<random.below(3)).compactMap { _ in place(type) }
  }

  private mutating func ware(_ number: Int) -> Line {
    var line: Line = [
      "label": .text("new \(random.chance(4) ? 0 : number)"), "value": .number(random.below(90)),
      "rack": .target(place(Rack.self)), "stickers": .members(places(Sticker.self)),
    ]
    if random.chance(3) {
      line["picture"] = .picture(Data(repeating: 9, count: random.below(5_000)))
    }
    return line
  }

  private mutating func barrel(_ number: Int) -> Line {
    var line = ware(number)
    line["litres"] = .number(random.below(20))
    return line
  }

  private mutating func crate(_ number: Int) -> Line {
    var line = ware(number)
    line["lid"] = .target(place(Lid.self))
    return line
  }

  private mutating func lid(_ number: Int) -> Line {
    ["colour": .text("c\(number)"), "crate": .target(place(Crate.self))]
  }

  private mutating func rack(_ number: Int) -> Line {
    var line: Line = [
      "code": .text(random.chance(6) ? nil : "rack \(random.below(12))"),
      "neighbours": .members(places(Rack.self)),
    ]
    if random.chance(2) { line["depot"] = .target(place(Depot.self)) }
    return line
  }

  private mutating func sticker(_ number: Int) -> Line {
    ["text": .text("s\(number)"), "wares": .members(places(Ware.self))]
  }

  private mutating func visit(_ number: Int) -> Line {
    ["day": .number(number), "depot": .target(place(Depot.self))]
  }

  private mutating func memo(_ number: Int) -> Line {
    [
      "text": .text("m\(number)"), "subject": .target(place(Ware.self)),
      "mentioned": .members(places(Ware.self)), "kept": .target(place(Rack.self)),
    ]
  }

  // MARK: - Both ways

  private mutating func insert<T: Entity>(
    _ make: (ManagedObjectContext) -> T, matching name: String? = nil,
    _ line: (inout Comparison, Int) -> Line
  ) throws {
    let count = random.below(9)
    let lines = (0..<count).map { line(&self, $0) }
    random.note("\(lines)")
    var request = BatchInsertRequest(T.self)
    if name != nil,
      let upserting = BatchInsertRequest(Rack.self).upserting(on: \.code)
        as? BatchInsertRequest<T>
    {
      request = upserting
    }
    request.returnsObjectIDs = true
    let dictionaries = try lines.map { line in try line.mapValues { try ofBatch.value($0) } }
    var result: BatchInsertResult?
    let refused = refusal {
      result = try batch.container.coordinator.execute(request, dictionaries: dictionaries)
    }
    // New objects get the same serials as the batch's.
    let new = result?.objectIDs?.map(\.key.serial).filter { $0 > 60_000 }.min()
    try expectSameAlone(refused) { branch, known in
      if let new { branch.skipSerials(to: new) }
      let context = ManagedObjectContext(parent: branch.container.coordinator)
      var racks: [String: Rack] = [:]
      if name != nil {
        for rack in try context.fetch(Rack.all) {
          if let code = rack.code { racks[code] = rack }
        }
      }
      // Reading in between would lose serials that the context has taken.
      let objects = lines.map { line in
        let code = name.flatMap { line[$0]?.text }
        let object = code.flatMap { racks[$0] as? T } ?? make(context)
        if let code { racks[code] = object as? Rack }
        return object
      }
      for (line, object) in zip(lines, objects) { try assign(line, to: object, known, context) }
      try context.save()
    }
    if let result {
      try expectSame(result.insertedCount + result.matchedCount, lines.count, "the counts")
    }
  }

  private mutating func update<T: Entity>(
    _ request: FetchRequest<T>,
    _ setting: (BatchUpdateRequest<T>) -> BatchUpdateRequest<T>,
    _ change: (T) -> (T) -> Void
  ) throws {
    let update = setting(BatchUpdateRequest(request))
    let refused = refusal { try batch.container.coordinator.execute(update) }
    try expectSameAlone(refused) { branch, known in
      let context = ManagedObjectContext(parent: branch.container.coordinator)
      let objects = try context.fetch(request).sorted { $0.objectID.key < $1.objectID.key }
      let changes = objects.map(change)
      for (object, change) in zip(objects, changes) { change(object) }
      try context.save()
    }
  }

  /// Puts wares into a rack, or takes them out.
  private mutating func move() throws {
    let rack = place(Rack.self)
    let limit = random.below(100)
    let refused = refusal {
      let target = try rack.map { try ofBatch.id(of: $0) }
      try batch.container.coordinator.execute(
        BatchUpdateRequest(Ware.where { $0.value < limit }).setting(\.rack, to: target))
    }
    try expectSameAlone(refused) { branch, known in
      let context = ManagedObjectContext(parent: branch.container.coordinator)
      let target = try rack.map { try context.existingObject(Rack.self, with: known.id(of: $0)) }
      let wares = try context.fetch(Ware.where { $0.value < limit })
      for ware in wares.sorted(by: { $0.objectID.key < $1.objectID.key }) { ware.rack = target }
      try context.save()
    }
  }

  /// Gives one lid to crates: the last one keeps it.
  private mutating func coverWith() throws {
    guard let lid = place(Lid.self) else { return }
    let limit = random.below(3) + 1
    let refused = refusal {
      try batch.container.coordinator.execute(
        BatchUpdateRequest(Crate.all.limit(limit)).setting(\.lid, to: ofBatch.id(of: lid)))
    }
    try expectSameAlone(refused) { branch, known in
      let context = ManagedObjectContext(parent: branch.container.coordinator)
      let target = try context.existingObject(Lid.self, with: known.id(of: lid))
      for crate in try context.fetch(Crate.all.limit(limit)) { crate.lid = target }
      try context.save()
    }
  }

  private func refusal(_ body: () throws -> Void) -> [String] {
    do { try body() } catch { return plain(error) }
    return []
  }

  /// Has the other store do the same, and compares the two.
  private mutating func expectSameAlone(
    _ refused: [String], _ work: (WarehouseBranch, KnownObjects) throws -> Void
  ) throws {
    let alone = refusal { try work(single, ofSingle) }
    try expectSame(refused, alone, "what it is refused for")
    random.count(refused.isEmpty ? "done" : "refused")
    try expectNone(Array(try batch.contents.differences(from: single.contents).prefix(5)))
    try expectSame(batch.told(), single.told(), "what contexts are told")
  }
}

extension WarehouseBranch {
  /// Has the next new object get this serial.
  fileprivate func skipSerials(to serial: UInt64) {
    var next: UInt64 = 0
    while next < serial {
      // One at a time would take long; the last range may end at the serial.
      let taken = container.coordinator.store.takeSerials(
        upTo: next == 0 ? 1 : Int(serial - next))
      next = taken.upperBound
    }
  }
}

@Suite struct `A batch insert or update of anything` {
  @Test func `leaves the same as the same work in a context, and reports the same`() async {
    let failure = await ModelTest(
      "batch writes", sequences: 150, steps: 1, meets: ["done": 40, "refused": 4]
    ) { try Comparison($0) }.firstFailure()
    #expect(failure == nil)
  }
}
