// SPDX-License-Identifier: Apache-2.0
import Strata
import StrataModel
import StrataRecord
import Testing

@Suite struct `A graph of objects` {
  /// Contexts and their objects after the program has released them.
  private struct Remains {
    weak var context: ManagedObjectContext?
    weak var country: Country?
    weak var city: City?
    weak var route: Route?

    var isNothing: Bool { context == nil && country == nil && city == nil && route == nil }
  }

  /// A graph whose links go round: countries to each other, a country to its cities and back, a
  /// list.
  private func graph(in context: ManagedObjectContext) -> Remains {
    let (iran, iraq) = (context.country("IR"), context.country("IQ"))
    iran.neighbours.insert(iraq)
    iraq.neighbours.insert(iran)
    let government = Government(context: context)
    iran.government = government
    let city = context.city("Bam", in: iran)
    let route = Route(context: context)
    route.start = city
    route.stops.append(city)
    #expect(route.stops[0].country?.neighbours.contains(iraq) == true)
    return Remains(context: context, country: iran, city: city, route: route)
  }

  @Test func `with cycles is freed when its context is, whatever is pending`() throws {
    let container = try geography()
    var remains: [Remains] = []
    do {
      let unsaved = ManagedObjectContext(parent: container.coordinator)
      remains.append(graph(in: unsaved))
      let published = ManagedObjectContext(parent: container.coordinator)
      remains.append(graph(in: published))
      published.processPendingChanges()
      let child = ManagedObjectContext(parent: published)
      remains.append(graph(in: child))
      try child.save()
      let saved = ManagedObjectContext(parent: container.coordinator)
      saved.undoManager = ManagedObjectContext.UndoManager()
      saved.retainsRegisteredObjects = true
      let inSaved = graph(in: saved)
      remains.append(inSaved)
      try saved.save()
      inSaved.country?.name = "changed"
      saved.undo()
    }
    let left = remains.count { !$0.isNothing }
    #expect(left == 0)
  }

  @Test func `that the program holds does not retain its context`() throws {
    let container = try geography()
    var held: [ManagedObject] = []
    weak var gone: ManagedObjectContext?
    do {
      let context = ManagedObjectContext(parent: container.coordinator)
      let remains = graph(in: context)
      held = [remains.country, remains.route].compactMap { $0 }
      gone = context
    }
    #expect(held.count == 2)
    #expect(gone == nil)
    #expect(held.allSatisfy { $0.managedObjectContext == nil })
  }
}

@Suite struct `Values that stay in the cache` {
  @Test func `keep no others in memory, be they held or used again and again`() throws {
    let container = try geography()
    let writer = ManagedObjectContext(parent: container.coordinator)
    for number in 0..<4_000 { writer.city("\(number)") }
    try writer.save()
    let context = ManagedObjectContext(parent: container.coordinator)
    context.cacheByteBudget = 100_000
    var held: [City] = []
    let ids = try context.fetchIDs(City.all)
    let used = ids[7]
    for (index, id) in ids.enumerated() {
      let city = try context.existingObject(City.self, with: id)
      if index % 400 == 0 { held.append(city) }
      if index % 10 == 0 { _ = try context.existingObject(City.self, with: used).name }
    }
    // The last few are young.
    for city in held.dropLast(3) {
      let record = try #require(city.record)
      #expect(!record.sharesItsBlock)
      #expect(city.name == "\(Int(city.objectID.key.serial - ids[0].key.serial))")
    }
    let inUse = try #require(context.registeredObject(for: used)?.record)
    #expect(!inUse.sharesItsBlock)
  }
  @Test func `go once they are held no more, however long they were beyond the budget`() throws {
    let container = try geography()
    let writer = ManagedObjectContext(parent: container.coordinator)
    for number in 0..<8_000 { writer.city("\(number)") }
    try writer.save()
    let context = ManagedObjectContext(parent: container.coordinator)
    context.cacheByteBudget = 100_000
    let ids = try context.fetchIDs(City.all)
    var held = try ids.prefix(4_000).map { try context.existingObject(City.self, with: $0) }
    struct Trace { weak var city: City? }
    let traces = held.map { Trace(city: $0) }
    held = []
    for id in ids.dropFirst(4_000) { _ = try context.existingObject(City.self, with: id) }
    // The budget is good for some six hundred.
    #expect(traces.count { $0.city != nil } < 1_000)
  }
}
