// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Strata
import Testing

@MainActor
@Suite struct `Undo of members that change between ordered owners` {
  private let context: ManagedObjectContext
  private let (first, second): (Album, Album)
  private let tracks: [Track]

  init() throws {
    context = undoableContext(try geography())
    let context = context
    (first, second) = (Album(context: context), Album(context: context))
    tracks = (0..<3).map { number in
      let track = Track(context: context)
      track.name = "\(number)"
      return track
    }
    for track in tracks { track.album = first }
    try context.save()
    context.undoManager?.removeAllActions()
  }

  private func names(_ album: Album) -> String { album.tracks.map(\.name).joined() }

  private func expectNoChange() {
    #expect(!context.hasChanges && !context.hasPersistentChanges)
    #expect(context.updatedObjects.isEmpty)
    #expect(names(first) == "012" && names(second) == "")
  }

  @Test(arguments: 0..<3)
  func `leaves nothing of a change to another owner`(member: Int) throws {
    context.turn { tracks[member].album = second }
    context.turn { context.undo() }
    expectNoChange()
    context.turn { context.redo() }
    #expect(names(second) == "\(member)")
    context.turn { context.undo() }
    expectNoChange()
  }

  @Test(arguments: 0..<3)
  func `leaves nothing of a change there and back in two turns`(member: Int) throws {
    context.turn { tracks[member].album = second }
    context.turn { tracks[member].album = first }
    context.turn { context.undo() }
    #expect(names(second) == "\(member)")
    context.turn { context.undo() }
    expectNoChange()
    context.turn { context.redo() }
    context.turn { context.redo() }
    #expect(names(second) == "")
    context.turn { context.undo() }
    context.turn { context.undo() }
    expectNoChange()
  }

  @Test(arguments: 0..<3)
  func `leaves nothing of a change there and back in one turn`(member: Int) throws {
    context.turn {
      tracks[member].album = second
      tracks[member].album = first
      second.genres.insert(Genre(context: context))
    }
    context.turn { context.undo() }
    expectNoChange()
  }

  @Test func `leaves nothing where the members have numbers`() throws {
    first.tracks.move(from: 2, to: 0)
    first.tracks.move(from: 2, to: 0)
    first.tracks.move(from: 2, to: 0)
    try context.save()
    context.undoManager?.removeAllActions()
    for track in tracks {
      context.turn {
        track.album = second
        track.album = first
      }
      context.turn { context.undo() }
      expectNoChange()
    }
  }

  @Test func `leaves nothing of an attribute that was set and set back beside another change`() {
    context.turn {
      tracks[0].name = "x"
      tracks[0].name = "0"
      tracks[1].name = "y"
    }
    context.turn { context.undo() }
    expectNoChange()
  }

  @Test func `leaves nothing of a new member`() {
    context.turn {
      let track = Track(context: context)
      first.tracks.insert(track, at: 1)
    }
    context.turn { context.undo() }
    expectNoChange()
  }
}

@MainActor
@Suite struct `A new member of a list that is deleted in a later turn` {
  private let container: PersistentContainer
  private let context: ManagedObjectContext

  init() throws {
    container = try geography()
    context = .withExplicitTurns(below: container.coordinator)
  }

  private func expectNoChange(in context: ManagedObjectContext) throws {
    for _ in 0..<2 {
      #expect(!context.hasChanges && !context.hasPersistentChanges)
      let before = try container.coordinator.snapshot().generation
      try context.save()
      #expect(try container.coordinator.snapshot().generation == before)
    }
  }

  @Test func `is no change`() throws {
    let album = Album(context: context)
    try context.save()
    let track = Track(context: context)
    context.turn { album.tracks.insert(track, at: 0) }
    #expect(context.hasPersistentChanges)
    context.turn { context.delete(track) }
    try expectNoChange(in: context)
    #expect(album.tracks.isEmpty)
  }

  @Test func `is no change in a list of many to many`() throws {
    let (hall, route, city) = (Hall(context: context), Route(context: context), context.city("A"))
    try context.save()
    let play = Play(context: context)
    let stop = context.city("B")
    context.turn {
      hall.plays.insert(play, at: 0)
      route.stops.append(stop)
      route.stops.append(city)
    }
    context.turn {
      context.delete(play)
      context.delete(stop)
      route.stops.remove(city)
    }
    try expectNoChange(in: context)
  }

  @Test func `is no change if it is the owner`() throws {
    let (play, hall) = (Play(context: context), Hall(context: context))
    try context.save()
    let other = Hall(context: context)
    context.turn {
      other.plays.append(play)
      play.halls.append(hall)
    }
    context.turn {
      context.delete(other)
      play.halls.remove(hall)
    }
    try expectNoChange(in: context)
  }

  @Test func `is no change if a child has inserted it`() throws {
    let album = Album(context: context)
    try context.save()
    let child = ManagedObjectContext(parent: context)
    let track = Track(context: child)
    try child.existingObject(Album.self, with: album.objectID).tracks.insert(track, at: 0)
    try child.save()
    #expect(context.hasPersistentChanges)
    context.delete(try context.existingObject(Track.self, with: track.objectID))
    context.processPendingChanges()
    try expectNoChange(in: context)
  }
}
