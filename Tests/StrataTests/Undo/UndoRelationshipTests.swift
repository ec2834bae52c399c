// SPDX-License-Identifier: Apache-2.0
import Strata
import StrataChanges
import Testing

@Suite struct `Undo of relationships` {
  /// Every test is done with unsaved and with saved objects: `saves` says whether the context saves
  /// after each turn.
  private func step(_ context: ManagedObjectContext, saves: Bool, _ body: () -> Void) throws {
    context.turn(body)
    if saves { try context.save() }
  }

  @Test(arguments: [false, true])
  func `sets a to-one link back, seen from both sides`(saves: Bool) throws {
    let container = try geography()
    let context = undoableContext(container)
    let (iran, iraq) = (context.country("IR"), context.country("IQ"))
    let city = context.city("A", in: iran)
    try step(context, saves: saves) {}
    try step(context, saves: saves) { city.country = iraq }
    try step(context, saves: saves) { context.undo() }
    #expect(city.country === iran)
    #expect(Set(iran.cities) == [city])
    #expect(iraq.cities.isEmpty)
    try step(context, saves: saves) { context.redo() }
    #expect(Set(iraq.cities) == [city])
    #expect(iran.cities.isEmpty)
  }

  @Test(arguments: [false, true])
  func `sets both sides of a one-to-one link back`(saves: Bool) throws {
    let container = try geography()
    let context = undoableContext(container)
    let (iran, iraq) = (context.country("IR"), context.country("IQ"))
    let (first, second) = (Government(context: context), Government(context: context))
    iran.government = first
    iraq.government = second
    try step(context, saves: saves) {}
    try step(context, saves: saves) { iran.government = second }
    #expect(first.country == nil)
    try step(context, saves: saves) { context.undo() }
    #expect(iran.government === first)
    #expect(first.country === iran)
    #expect(iraq.government === second)
    #expect(second.country === iraq)
    try step(context, saves: saves) { context.redo() }
    #expect(iran.government === second)
    #expect(second.country === iran)
    #expect(iraq.government == nil)
    #expect(first.country == nil)
  }

  @Test func `keeps both sides of a one-to-one link in agreement with changes that are not undone`()
    throws
  {
    let container = try geography()
    let context = undoableContext(container)
    let (iran, iraq) = (context.country("IR"), context.country("IQ"))
    let government = Government(context: context)
    iran.government = government
    context.processPendingChanges()
    context.turn { iran.government = nil }
    context.undoManager?.disableUndoRegistration()
    context.turn { iraq.government = government }
    context.undoManager?.enableUndoRegistration()
    context.turn { context.undo() }
    #expect(iran.government === government)
    #expect(government.country === iran)
    #expect(iraq.government == nil)
  }

  @Test(arguments: [false, true])
  func `takes links of many to many back and brings them again, on both sides`(saves: Bool) throws {
    let container = try geography()
    let context = undoableContext(container)
    let (iran, iraq) = (context.country("IR"), context.country("IQ"))
    let (persian, arabic) = (Language(context: context), Language(context: context))
    iran.languages.insert(persian)
    try step(context, saves: saves) {}
    try step(context, saves: saves) {
      iran.languages.remove(persian)
      iran.languages.insert(arabic)
      iran.neighbours.insert(iraq)
    }
    try step(context, saves: saves) { context.undo() }
    #expect(Set(iran.languages) == [persian])
    #expect(Set(persian.countries) == [iran])
    #expect(arabic.countries.isEmpty)
    #expect(iran.neighbours.isEmpty)
    #expect(iraq.neighbours.isEmpty)
    #expect(context.hasChanges == !saves)
    try step(context, saves: saves) { context.redo() }
    #expect(Set(iran.languages) == [arabic])
    #expect(persian.countries.isEmpty)
    #expect(Set(iraq.neighbours) == [iran])
  }

  @Test func `of links alone leaves a context without changes`() throws {
    let container = try geography()
    let context = undoableContext(container)
    let (iran, persian) = (context.country("IR"), Language(context: context))
    try context.save()
    context.processPendingChanges()
    context.turn { iran.languages.insert(persian) }
    #expect(context.hasChanges)
    context.turn { context.undo() }
    #expect(!context.hasChanges)
    context.turn { context.redo() }
    #expect(context.hasChanges)
  }

  @Test(arguments: [false, true])
  func `brings back a cascade, and the links of all that it deleted`(saves: Bool) throws {
    let container = try geography()
    let context = undoableContext(container)
    let (iran, iraq) = (context.country("IR"), context.country("IQ"))
    let (a, b) = (context.city("A", in: iran), context.city("B", in: iran))
    let government = Government(context: context)
    let persian = Language(context: context)
    let route = Route(context: context)
    iran.government = government
    iran.languages.insert(persian)
    iran.neighbours.insert(iraq)
    route.start = a
    try step(context, saves: saves) {}
    try step(context, saves: saves) { context.delete(iran) }
    #expect(government.country == nil)
    #expect(route.start == nil)
    let count = try context.count(City.all)
    #expect(count == 0)
    try step(context, saves: saves) { context.undo() }
    #expect(Set(iran.cities) == [a, b])
    #expect(a.country === iran)
    #expect(iran.government === government)
    #expect(government.country === iran)
    #expect(Set(iran.languages) == [persian])
    #expect(Set(persian.countries) == [iran])
    #expect(Set(iraq.neighbours) == [iran])
    #expect(route.start === a)
    try step(context, saves: saves) { context.redo() }
    #expect(persian.countries.isEmpty)
    #expect(iraq.neighbours.isEmpty)
    #expect(route.start == nil)
    try step(context, saves: true) { context.undo() }
    #expect(Set(iran.cities) == [a, b])
    #expect(route.start === a)
    let reader = ManagedObjectContext(parent: container.coordinator)
    let stored = try reader.existingObject(Country.self, with: iran.objectID)
    #expect(Set(stored.cities.objectIDs) == [a.objectID, b.objectID])
    #expect(stored.languages.objectIDs == [persian.objectID])
    #expect(stored.neighbours.objectIDs == [iraq.objectID])
    #expect(stored.government?.objectID == government.objectID)
  }

  @Test(arguments: [false, true])
  func `brings members back to their places in an ordered relationship`(saves: Bool) throws {
    let container = try geography()
    let context = undoableContext(container)
    let route = Route(context: context)
    let stops = ["A", "B", "C"].map { context.city($0) }
    for stop in stops { route.stops.append(stop) }
    try step(context, saves: saves) {}
    try step(context, saves: saves) { context.delete(stops[1]) }
    #expect(Array(route.stops) == [stops[0], stops[2]])
    try step(context, saves: saves) { context.undo() }
    #expect(Array(route.stops) == stops)
    try step(context, saves: saves) { route.stops.append(stops[0]) }
    #expect(Array(route.stops) == [stops[1], stops[2], stops[0]])
    try step(context, saves: saves) { context.undo() }
    #expect(Array(route.stops) == stops)
    try step(context, saves: saves) { context.delete(route) }
    try step(context, saves: saves) { context.undo() }
    #expect(Array(route.stops) == stops)
  }

  @Test(arguments: [false, true])
  func `brings back links and places that no delete rule has touched`(saves: Bool) throws {
    let container = try geography()
    let context = undoableContext(container)
    let (album, genre) = (Album(context: context), Genre(context: context))
    let tracks = ["A", "B", "C"].map { name in
      let track = Track(context: context)
      track.name = name
      return track
    }
    for track in tracks.reversed() { album.tracks.insert(track, at: 0) }
    album.genres.insert(genre)
    try step(context, saves: saves) {}
    #expect(Array(album.tracks) == tracks)
    try step(context, saves: saves) { context.delete(tracks[1]) }
    try step(context, saves: saves) { context.undo() }
    #expect(Array(album.tracks) == tracks)
    // The store takes the deletion of both ends.
    try step(context, saves: saves) {
      context.delete(genre)
      for track in tracks { context.delete(track) }
      context.delete(album)
    }
    try step(context, saves: saves) { context.undo() }
    #expect(Array(album.tracks) == tracks)
    #expect(Set(album.genres) == [genre])
    #expect(Set(genre.albums) == [album])
    try context.save()
    let reader = ManagedObjectContext(parent: container.coordinator)
    let stored = try reader.existingObject(Album.self, with: album.objectID)
    #expect(stored.tracks.objectIDs == tracks.map(\.objectID))
    #expect(stored.genres.objectIDs == [genre.objectID])
  }

  @Test func `leaves out links to objects deleted in between`() throws {
    let container = try geography()
    let context = undoableContext(container)
    let (iran, iraq) = (context.country("IR"), context.country("IQ"))
    let (city, persian) = (context.city("A", in: iran), Language(context: context))
    iraq.languages.insert(persian)
    try context.save()
    context.processPendingChanges()
    context.turn {
      city.country = nil
      iraq.languages.remove(persian)
    }
    try context.save()
    let other = ManagedObjectContext(parent: container.coordinator)
    other.delete(try other.existingObject(Country.self, with: iran.objectID))
    other.delete(try other.existingObject(Language.self, with: persian.objectID))
    try other.save()
    context.turn { context.undo() }
    #expect(city.country == nil)
    #expect(iraq.languages.isEmpty)
    try context.save()
  }

  @Test func `of an insertion applies the delete rules to objects that others have linked since`()
    throws
  {
    let container = try geography()
    let context = undoableContext(container)
    let country = context.turn { context.country("IR") }
    context.undoManager?.disableUndoRegistration()
    let (city, government) = context.turn {
      let government = Government(context: context)
      government.country = country
      return (context.city("A", in: country), government)
    }
    context.undoManager?.enableUndoRegistration()
    context.turn { context.undo() }
    #expect(city.managedObjectContext == nil)
    #expect(government.country == nil)
    try context.save()
  }
}
