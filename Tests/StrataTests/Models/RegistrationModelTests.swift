// SPDX-License-Identifier: Apache-2.0
import Strata
import StrataModel
import StrataTestSupport
import Testing

/// Objects that come and go at random under a small budget, beside a dictionary of those that the test
/// holds: what a context registers must be the same instances.
private struct Registration {
  private var random: SeededGenerator
  private let context: ManagedObjectContext
  private let ids: [ObjectID]
  /// What each city is called, by ID.
  private var names: [ObjectID: String] = [:]
  private var held: [ObjectID: City] = [:]
  /// What went wrong first.
  private(set) var mistake: String?

  init(seed: UInt64, below container: PersistentContainer, cities: Int) throws {
    random = SeededGenerator(seed: seed)
    let writer = ManagedObjectContext(parent: container.coordinator)
    for number in 0..<cities {
      // Serials with gaps between them, and with others' in between.
      for next in 0..<Int.random(in: 0...3, using: &random) { writer.country("\(number)/\(next)") }
      let city = writer.city("city \(number)")
      names[city.objectID] = city.name
    }
    try writer.save()
    ids = Array(names.keys).sorted { $0.key < $1.key }
    context = ManagedObjectContext(parent: container.coordinator)
    context.cacheByteBudget = 160 * cities / 4
  }

  mutating func step() throws {
    let id = ids[Int.random(in: 0..<ids.count, using: &random)]
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<3:
      try check(
        id, context.existingObject(City.self, with: id), isHeld: Bool.random(using: &random))
    case 3..<5:
      try check(id, context.object(City.self, with: id), isHeld: Bool.random(using: &random))
    case 5..<8: held[id] = nil
    case 8:
      let first = Int.random(in: 0..<ids.count, using: &random)
      let window = City.all.limit(40).offset(first)
      for (place, city) in try context.fetch(window).enumerated() {
        check(ids[first + place], city, isHeld: place.isMultiple(of: 4))
      }
    default: context.processPendingChanges()
    }
    if let known = held[id], context.registeredObject(for: id) !== known {
      fail("\(id) is held and not registered")
    }
  }

  /// Only what is held is left at last, all of it.
  mutating func finish() {
    let registered = context.registeredObjects
    if registered != Set(held.values) {
      fail("\(registered.count) are registered, \(held.count) held")
    }
  }

  private mutating func check(_ id: ObjectID, _ city: City, isHeld: Bool) {
    if let known = held[id], known !== city { fail("two instances of \(id)") }
    if city.objectID != id { fail("\(city.objectID) for \(id)") }
    if city.name != names[id] { fail("\(id) is called \(city.name)") }
    if isHeld { held[id] = city }
  }

  private mutating func fail(_ text: String) { mistake = mistake ?? text }
}

@Suite struct `Registered objects` {
  @Test(arguments: 1...6)
  private func `are one instance for each ID as long as anybody holds it`(seed: UInt64) throws {
    var registration = try Registration(seed: seed, below: geography(), cities: 20 << seed)
    for _ in 0..<2_000 where registration.mistake == nil { try registration.step() }
    registration.finish()
    #expect(registration.mistake == nil, "seed \(seed)")
  }

  @Test func `are outdated however often others have changed everything`() throws {
    let container = try geography()
    let writer = ManagedObjectContext(parent: container.coordinator)
    let city = writer.city("0")
    try writer.save()
    let context = ManagedObjectContext(parent: container.coordinator)
    var stale: [Int] = []
    for round in 1...600 {
      // Nobody holds it, so that it is read anew when it has been changed.
      _ = try context.existingObject(City.self, with: city.objectID).name
      context.processPendingChanges()
      city.name = "\(round)"
      // Beyond a multiple of what is registered, all objects are outdated at once.
      for _ in 0..<(round.isMultiple(of: 2) ? 8 : 0) { writer.city("other") }
      try writer.save()
      let name = try context.existingObject(City.self, with: city.objectID).name
      if name != "\(round)" { stale.append(round) }
      context.processPendingChanges()
    }
    #expect(stale.isEmpty)
  }
}
