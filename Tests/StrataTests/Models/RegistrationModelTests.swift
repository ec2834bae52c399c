// SPDX-License-Identifier: Apache-2.0
import Strata
import StrataModel
import StrataTestSupport
import Testing

/// Objects that come and go at random under a small budget, beside a dictionary of those that the
/// test holds: a context must register the same instances.
private struct Registration: Model {
  var random: ModelRandom
  private let context: ManagedObjectContext
  private let ids: [ObjectID]
  /// The name of each city, by ID.
  private var names: [ObjectID: String] = [:]
  private var held: [ObjectID: City] = [:]

  init(_ random: ModelRandom) throws {
    self.random = random
    let count = 40 << self.random.below(6)
    let container = try geography()
    let writer = ManagedObjectContext(parent: container.coordinator)
    for number in 0..<count {
      // Serials with gaps between them, and with others' in between.
      for next in 0..<self.random.below(4) { writer.country("\(number)/\(next)") }
      let city = writer.city("city \(number)")
      names[city.objectID] = city.name
    }
    try writer.save()
    ids = Array(names.keys).sorted { $0.key < $1.key }
    context = ManagedObjectContext(parent: container.coordinator)
    context.cacheByteBudget = 160 * count / 4
  }

  static var operations: [ModelOperation<Registration>] {
    [
      ModelOperation("read", weight: 3) { model in
        try model.meet { try $0.existingObject(City.self, with: $1) }
      },
      ModelOperation("register", weight: 2) { model in
        try model.meet { try $0.object(City.self, with: $1) }
      },
      ModelOperation("let go", weight: 3) { model in
        let id = model.pickID()
        model.held[id] = nil
      },
      ModelOperation("fetch") { try $0.fetch() },
      ModelOperation("end the turn") { $0.context.processPendingChanges() },
    ]
  }

  private mutating func pickID() -> ObjectID { ids[random.below(ids.count)] }

  private mutating func meet(_ find: (ManagedObjectContext, ObjectID) throws -> City) throws {
    let id = pickID()
    try check(id, find(context, id), isHeld: random.chance(2))
  }

  private mutating func fetch() throws {
    let first = random.below(ids.count)
    for (place, city) in try context.fetch(City.all.limit(40).offset(first)).enumerated() {
      try check(ids[first + place], city, isHeld: place.isMultiple(of: 4))
    }
  }

  private mutating func check(_ id: ObjectID, _ city: City, isHeld: Bool) throws {
    if let known = held[id], known !== city { throw ModelDifference("two instances of \(id)") }
    try expectSame(city.objectID, id, "the object with that ID")
    try expectSame(city.name, names[id], "the name of \(id)")
    if isHeld { held[id] = city }
  }

  mutating func check() throws {
    let id = pickID()
    if let known = held[id], context.registeredObject(for: id) !== known {
      throw ModelDifference("\(id) is held and not registered")
    }
  }

  /// In the end only held objects are left, all of them.
  mutating func finish() throws {
    let registered = context.registeredObjects
    if registered != Set(held.values) {
      throw ModelDifference("\(registered.count) are registered, \(held.count) held")
    }
  }
}

@Suite struct `Registered objects` {
  @Test func `are one instance for each ID as long as the program holds it`() async {
    let failure = await ModelTest(
      "registration", sequences: 6, steps: 2_000, make: Registration.init
    ).firstFailure()
    #expect(failure == nil)
  }

  @Test func `are outdated however often others have changed everything`() throws {
    let container = try geography()
    let writer = ManagedObjectContext(parent: container.coordinator)
    let city = writer.city("0")
    try writer.save()
    let context = ManagedObjectContext(parent: container.coordinator)
    var stale: [Int] = []
    for round in 1...600 {
      // The test does not hold it, so it is read again after a change.
      _ = try context.existingObject(City.self, with: city.objectID).name
      context.processPendingChanges()
      city.name = "\(round)"
      // Beyond a multiple of the registered objects, all are outdated at once.
      for _ in 0..<(round.isMultiple(of: 2) ? 8 : 0) { writer.city("other") }
      try writer.save()
      let name = try context.existingObject(City.self, with: city.objectID).name
      if name != "\(round)" { stale.append(round) }
      context.processPendingChanges()
    }
    #expect(stale.isEmpty)
  }
}
