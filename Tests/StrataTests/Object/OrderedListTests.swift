// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Foundation
import Strata
import StrataChanges
import StrataModel
import StrataStore
import StrataTestSupport
import Testing

@Suite struct `An ordered relationship as a list` {
  /// Stops of a route (many to many, links beside the objects) and tracks of an album (one to many,
  /// positions beside to-one slots) are kept in different ways and must behave alike.
  private func withList(
    _ count: Int, _ body: (any TestList, ManagedObjectContext) throws -> Void
  ) throws {
    for kind in [RouteList.self, AlbumList.self] as [any TestList.Type] {
      let container = try geography()
      let context = ManagedObjectContext(parent: container.coordinator)
      let list = kind.init(in: context)
      list.append((0..<count).map { "\($0)" })
      try body(list, context)
    }
  }

  @Test func `takes members at any place, one or several`() throws {
    try withList(3) { list, _ in
      list.insert(["a", "b"], at: 1)
      list.insert(["c"], at: 0)
      list.append(["d", "e"])
      list.insert([], at: 2)
      #expect(list.names == ["c", "0", "a", "b", "1", "2", "d", "e"])
      #expect(list.name(at: 2) == "a")
      #expect(list.count == 8)
      #expect(list.index(of: "d") == 6)
    }
  }

  @Test func `moves members, counted as list views and as arrays count`() throws {
    try withList(6) { list, _ in
      list.move(from: 1, to: 4)
      #expect(list.names == ["0", "2", "3", "4", "1", "5"])
      list.move(from: 4, to: 1)
      #expect(list.names == ["0", "1", "2", "3", "4", "5"])
      list.move(fromOffsets: IndexSet([0, 2, 5]), toOffset: 4)
      #expect(list.names == ["1", "3", "0", "2", "5", "4"])
      list.move(fromOffsets: IndexSet([3, 4]), toOffset: 0)
      #expect(list.names == ["2", "5", "1", "3", "0", "4"])
      list.move(fromOffsets: IndexSet([0]), toOffset: 6)
      #expect(list.names == ["5", "1", "3", "0", "4", "2"])
    }
  }

  @Test func `inserting a member again moves it, and one that occurs twice is taken once`() throws {
    try withList(4) { list, _ in
      list.insertMembers([3, 0, 3], at: 2)
      #expect(list.names == ["1", "3", "0", "2"])
      list.insertMembers([0], at: 4)
      #expect(list.names == ["3", "0", "2", "1"])
    }
  }

  @Test func `moving a member to where it is changes nothing`() throws {
    try withList(4) { list, context in
      try context.save()
      list.move(from: 2, to: 2)
      list.insertMembers([1, 2], at: 2)
      list.insertMembers([3], at: 4)
      list.replace([0, 1, 2, 3])
      #expect(!context.hasChanges)
    }
  }

  @Test func `lets members go by index and by value`() throws {
    try withList(5) { list, context in
      #expect(list.remove(at: 1) == "1")
      list.remove(list.index(of: "3") ?? -1)
      #expect(list.names == ["0", "2", "4"])
      #expect(list.index(of: "3") == nil)
      try context.save()
      #expect(list.names == ["0", "2", "4"])
      list.removeAll()
      #expect(list.count == 0)
    }
  }

  @Test func `replacing it by another order moves no more members than must be`() throws {
    try withList(200) { list, context in
      try context.save()
      var order = Array(0..<200)
      order.append(order.remove(at: 3))
      order.insert(order.remove(at: 150), at: 60)
      order.remove(at: 100)
      list.replace(order)
      #expect(list.names == order.map(String.init))
      #expect(list.pendingCount <= 3)
      list.replace(order.reversed())
      #expect(list.names == order.reversed().map(String.init))
      try context.save()
      #expect(list.names == order.reversed().map(String.init))
    }
  }

  @Test func `is a collection`() throws {
    let container = try geography()
    let context = ManagedObjectContext(parent: container.coordinator)
    let route = Route(context: context)
    route.stops.append(contentsOf: ["A", "B", "C", "D"].map { context.city($0) })
    #expect(route.stops[1...2].map(\.name) == ["B", "C"])
    #expect(route.stops.reversed().map(\.name) == ["D", "C", "B", "A"])
    #expect(route.stops.first?.name == "A")
    #expect(route.stops.last?.name == "D")
    #expect(route.stops.firstIndex { $0.name == "C" } == 2)
    #expect(Array(route.stops.indices) == [0, 1, 2, 3])
    for stop in route.stops { route.stops.remove(stop) }
    #expect(route.stops.isEmpty)
    #expect(route.stops.first == nil)
  }

  @Test func `members that were linked from their own side come last until something follows them`()
    throws
  {
    let container = try geography()
    let context = ManagedObjectContext(parent: container.coordinator)
    let album = Album(context: context)
    let tracks = (0..<6).map { context.track("\($0)") }
    album.tracks.append(tracks[5])
    for track in tracks[..<4] { track.album = album }
    #expect(album.tracks.map(\.name) == ["5", "0", "1", "2", "3"])
    album.tracks.insert(tracks[4], at: 3)
    #expect(album.tracks.map(\.name) == ["5", "0", "1", "4", "2", "3"])
    tracks[0].album = nil
    tracks[0].album = album
    #expect(album.tracks.map(\.name) == ["5", "1", "4", "2", "3", "0"])
    album.tracks.append(tracks[1])
    #expect(album.tracks.map(\.name) == ["5", "4", "2", "3", "0", "1"])
    try context.save()
    let reader = ManagedObjectContext(parent: container.coordinator)
    let names = try reader.existingObject(Album.self, with: album.objectID).tracks.map(\.name)
    #expect(names == ["5", "4", "2", "3", "0", "1"])
  }

  @Test func `a member that is deleted leaves it, and the list goes with its owner`() throws {
    try withList(4) { list, context in
      #expect(list.name(at: 2) == "2")
      list.deleteMember(at: 1)
      #expect(list.names == ["0", "2", "3"])
      #expect(list.name(at: 1) == "2")
      try context.save()
      list.deleteMember(at: 0)
      #expect(list.name(at: 0) == "2")
      list.deleteOwner()
      #expect(list.count == 0)
    }
  }

  @Test func `a member of both sides' lists keeps its place in the one that is not edited`() throws
  {
    let container = try geography()
    let context = ManagedObjectContext(parent: container.coordinator)
    let (hall, evening) = (Hall(context: context), Play(context: context))
    let others = (0..<3).map { _ in Hall(context: context) }
    evening.halls.append(contentsOf: [others[0], hall, others[1]])
    hall.plays.append(Play(context: context))
    try context.save()
    hall.plays.move(from: 0, to: 1)
    #expect(hall.plays.count == 2)
    #expect(Array(evening.halls) == [others[0], hall, others[1]])
    try context.save()
    #expect(Array(evening.halls) == [others[0], hall, others[1]])
    #expect(hall.plays.last == evening)
  }

  // MARK: - With others

  @Test(arguments: [true, false])
  func `does not take back a member that another has removed, for being moved here`(
    isMovedFirst: Bool
  ) throws {
    for kind in [RouteList.self, AlbumList.self] as [any TestList.Type] {
      let container = try geography()
      let first = ManagedObjectContext(parent: container.coordinator)
      let list = kind.init(in: first)
      list.append(["a", "b", "c", "d"])
      try first.save()
      let second = ManagedObjectContext(parent: container.coordinator)
      let other = try kind.init(list.owner.objectID, in: second)
      other.move(from: 3, to: 0)
      list.remove(at: 3)
      for context in isMovedFirst ? [second, first] : [first, second] { try context.save() }
      let reader = ManagedObjectContext(parent: container.coordinator)
      #expect(try kind.init(list.owner.objectID, in: reader).names == ["a", "b", "c"])
    }
  }

  @Test func `a move in a child of a member that the parent has deleted is dropped`() throws {
    try withList(4) { list, context in
      try context.save()
      let child = ManagedObjectContext(parent: context.layer)
      let inChild = try type(of: list).init(list.owner.objectID, in: child)
      inChild.move(from: 2, to: 0)
      list.deleteMember(at: 2)
      context.processPendingChanges()
      try child.save()
      context.processPendingChanges()
      #expect(list.names == ["0", "1", "3"])
      try context.save()
      #expect(list.names == ["0", "1", "3"])
    }
  }

  @Test func `a new member that is deleted again does not stand in the way of a save`() throws {
    try withList(2) { list, context in
      try context.save()
      list.insert(["a"], at: 1)
      list.deleteMember(at: 1)
      list.insert(["b"], at: 1)
      context.processPendingChanges()
      list.deleteMember(at: 1)
      try context.save()
      #expect(list.names == ["0", "1"])
    }
  }

  @Test func `undoing a move puts the member back, unless it was removed since`() throws {
    try withList(4) { list, context in
      try context.save()
      context.undoManager = ManagedObjectContext.UndoManager()
      list.move(from: 3, to: 0)
      context.processPendingChanges()
      context.undo()
      #expect(list.names == ["0", "1", "2", "3"])
      #expect(!context.hasChanges)
      context.redo()
      #expect(list.names == ["3", "0", "1", "2"])
      context.processPendingChanges()
      context.undoManager?.disableUndoRegistration()
      list.remove(at: 0)
      context.processPendingChanges()
      context.undoManager?.enableUndoRegistration()
      context.undo()
      #expect(list.names == ["0", "1", "2"])
      try context.save()
      #expect(list.names == ["0", "1", "2"])
    }
  }

  @Test func `a move is reported`() throws {
    try withList(3) { list, context in
      try context.save()
      let log = MessageLog(context.layer)
      list.move(from: 2, to: 0)
      context.processPendingChanges()
      let message = try #require(log.messages(.objectsDidChange).last)
      #expect(message.objects.updated.contains(list.owner.objectID))
    }
  }

  // MARK: - Costs

  @Test(arguments: [true, false])
  func `of 100,000 members takes 1,000 random moves for some 1,000 entries in the file`(
    isRoute: Bool
  ) throws {
    let kind: any TestList.Type = isRoute ? RouteList.self : AlbumList.self
    let store = try CountingStore(LMDBStore.inMemory(model: geographyModel()))
    let coordinator = try PersistentStoreCoordinator(store: store, model: geographyModel())
    let context = ManagedObjectContext(parent: coordinator)
    let list = kind.init(in: context)
    list.append((0..<100_000).map { "\($0)" })
    try context.save()
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    for _ in 0..<1_000 {
      list.move(
        from: .random(in: 0..<100_000, using: &random),
        to: .random(in: 0..<100_000, using: &random))
    }
    let moved = list.objectIDs
    try context.save()
    let writes = try #require(store.last)
    let count = writes.entriesPut + writes.entriesDeleted + writes.recordsPut
    #expect((900...1_100).contains(count), "seed \(seed): \(writes)")
    #expect(list.objectIDs == moved)
  }

  @Test func `takes insertions at one crowded place for a few entries each`() throws {
    let store = try CountingStore(LMDBStore.inMemory(model: geographyModel()))
    let coordinator = try PersistentStoreCoordinator(store: store, model: geographyModel())
    for kind in [RouteList.self, AlbumList.self] as [any TestList.Type] {
      let context = ManagedObjectContext(parent: coordinator)
      let list = kind.init(in: context)
      list.append((0..<1_000).map { "\($0)" })
      try context.save()
      var expected = list.names
      var entryCount = 0
      // Now before, now behind the last one: each halves the rest.
      for round in 0..<40 {
        for step in 0..<25 {
          let place = 500 + (round * 25 + step) / 2
          list.insert(["\(round).\(step)"], at: place)
          expected.insert("\(round).\(step)", at: place)
        }
        entryCount += list.pendingCount
        try context.save()
      }
      #expect(list.names == expected)
      #expect(entryCount < 1_000 * 8, "\(kind)")
      #expect(entryCount > 1_000, "\(kind): nothing was numbered anew, so nothing was shown")
    }
  }

  @Test func `takes a long run in the middle without touching its neighbours`() throws {
    try withList(10) { list, context in
      try context.save()
      for number in 0..<5_000 { list.insert(["f\(number)"], at: 5 + number) }
      for number in 0..<5_000 { list.insert(["b\(number)"], at: 5_005) }
      #expect(list.pendingCount == 10_000)
      #expect(list.name(at: 5_004) == "f4999")
      #expect(list.name(at: 5_005) == "b4999")
      #expect(list.name(at: 10_004) == "b0")
      #expect(list.name(at: 10_005) == "5")
    }
  }
}
