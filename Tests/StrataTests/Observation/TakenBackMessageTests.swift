// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Strata
import Testing

@Suite struct `objectsDidChange of reverted changes` {
  @Test func `names an object that is new and whose change was undone`() throws {
    let container = try geography()
    let context = undoableContext(container)
    let city = context.turn { context.city("A", population: 1) }
    context.turn { city.population = 2 }
    let log = MessageLog(context.layer)
    context.turn { context.undo() }
    #expect(city.population == 1)
    let message = try #require(log.messages.last)
    #expect(message.objects.updated == [city.objectID])
    #expect(message.objects.changedProperties(of: city.objectID) == ["population"])
  }

  @Test func `names all that an undone turn had changed of an object that gains a member as well`()
    throws
  {
    let container = try geography()
    let context = undoableContext(container)
    let country = context.turn { context.country("IR", name: "Iran") }
    try context.save()
    context.turn {
      country.name = "Persia"
      context.city("A", in: country)
    }
    let log = MessageLog(context.layer)
    context.turn { context.undo() }
    let message = try #require(log.messages.last)
    let changed = try #require(message.objects.changedProperties(of: country.objectID))
    #expect(changed == ["name", "cities"])
  }

  @Test func `names both ends of links that are rolled back`() throws {
    let container = try geography()
    let context = ManagedObjectContext(parent: container.coordinator)
    let (iran, iraq) = (context.country("IR"), context.country("IQ"))
    try context.save()
    iran.neighbours.insert(iraq)
    context.processPendingChanges()
    let log = MessageLog(context.layer)
    context.rollback()
    let refreshed = log.messages.reduce(into: Set<ObjectID>()) {
      $0.formUnion($1.objects.refreshed)
    }
    #expect(refreshed == [iran.objectID, iraq.objectID])
  }
}
