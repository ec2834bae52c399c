// SPDX-License-Identifier: Apache-2.0
import Strata
import Testing

@Suite struct `Whether an object is a member of a many-to-many relationship` {
  @Test func `is known for links of this turn, of the context, of its parents and of the store`()
    throws
  {
    let container = try geography()
    let root = container.root
    let ids = try root.performAndWait { context in
      let country = context.country("IR")
      let languages = (0..<5).map { _ in Language(context: context) }
      country.languages.insert(languages[0])
      country.languages.insert(languages[4])
      try context.save()
      country.languages.insert(languages[1])
      return [country.objectID] + languages.map(\.objectID)
    }
    try container.newBackgroundContext().performAndWait { context in
      let country = try context.existingObject(Country.self, with: ids[0])
      let languages = try ids.dropFirst().map { try context.object(Language.self, with: $0) }
      country.languages.insert(languages[2])
      _ = try context.count(Language.all)
      country.languages.remove(languages[4])
      #expect(languages.map { country.languages.contains($0) } == [true, true, true, false, false])
      #expect(languages.map { $0.countries.contains(country) } == [true, true, true, false, false])
      context.delete(languages[0])
      #expect(!country.languages.contains(languages[0]))
    }
  }

  @Test func `of no object is changed by removing a non-member`() throws {
    let container = try geography()
    let context = ManagedObjectContext(parent: container.coordinator)
    let country = context.country("IR")
    let (member, other) = (Language(context: context), Language(context: context))
    country.languages.insert(member)
    try context.save()
    country.languages.remove(other)
    #expect(!context.hasChanges)
    country.languages.remove(member)
    #expect(context.hasChanges)
    #expect(country.languages.isEmpty)
  }

  @Test func `is no for one that is deleted here or in a parent`() throws {
    let container = try geography()
    let parent = ManagedObjectContext(parent: container.coordinator)
    let (route, ferry) = (Route(context: parent), Ferry(context: parent))
    route.ferries.insert(ferry)
    try parent.save()
    let child = ManagedObjectContext(parent: parent)
    let inChild = try child.existingObject(Ferry.self, with: ferry.objectID)
    let itsRoute = try child.existingObject(Route.self, with: route.objectID)
    var isMember = itsRoute.ferries.contains(inChild)
    #expect(isMember)
    // The rule of the other side leaves the link alone.
    parent.delete(ferry)
    isMember = route.ferries.contains(ferry)
    #expect(!isMember)
    child.processPendingChanges()
    isMember = itsRoute.ferries.contains(inChild)
    #expect(!isMember)
  }
}
