// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

private struct Spot: Codable, Hashable, Sendable {
  var row: Int
}

private struct Kit: Codable, Hashable, Sendable {
  var tools: Set<String> = []
  var counts: [Spot: Int] = [:]
}

@Entity private final class Trip: ManagedObject {
  var number: Int = 0
  var tags: Set<String> = []
  var seats: [Spot: String] = [:]
  var kit: Kit?
}

/// The same elements in the order of another table.
private func again<Element: Hashable>(_ set: Set<Element>) -> Set<Element> {
  var other = Set<Element>(minimumCapacity: 4_000)
  for element in set { other.insert(element) }
  return other
}

private func again<Value>(_ values: [Spot: Value]) -> [Spot: Value] {
  var other = [Spot: Value](minimumCapacity: 4_000)
  for (key, value) in values { other[key] = value }
  return other
}

private let tags = Set((0..<60).map { "tag \($0)" })
private let seats = Dictionary(uniqueKeysWithValues: (0..<60).map { (Spot(row: $0), "s\($0)") })

private func setAgain(_ trip: Trip) {
  trip.tags = again(trip.tags)
  trip.seats = again(trip.seats)
  if let kit = trip.kit { trip.kit = Kit(tools: again(kit.tools), counts: again(kit.counts)) }
}

@Suite struct `Setting an equal value with a set or a dictionary in it` {
  private func container() throws -> PersistentContainer {
    let container = try PersistentContainer(inMemory: ManagedObjectModel(Trip.self))
    try container.root.performAndWait { context in
      let trip = Trip(context: context)
      (trip.tags, trip.seats, trip.kit) = (tags, seats, Kit(tools: tags, counts: [Spot(row: 1): 1]))
      try context.save()
    }
    return container
  }

  @Test func `is not a change`() throws {
    try container().root.performAndWait { context in
      context.undoManager = ManagedObjectContext.UndoManager()
      let trip = try #require(try context.fetch(Trip.all).first)
      setAgain(trip)
      #expect(!context.hasChanges && !trip.hasChanges && trip.changedValues().isEmpty)
      #expect(context.undoManager?.canUndo != true)
      trip.tags.insert("new")
      #expect(context.hasChanges && Set(trip.changedValues().keys) == ["tags"])
    }
  }

  @Test func `gives an attribute back the bytes that it had before a change`() throws {
    try container().root.performAndWait { context in
      let trip = try #require(try context.fetch(Trip.all).first)
      let stored = try trip.value(for: "seats")
      trip.seats = [:]
      #expect(try trip.value(for: "seats") != stored)
      trip.seats = again(seats)
      #expect(try trip.value(for: "seats") == stored)
    }
  }

  @Test func `is in no conflict, and in no history`() async throws {
    let container = try container()
    try await container.coordinator.keepHistory()
    let other = ContextQueue(parent: container.coordinator)
    try await other.perform { context in
      let trip = try #require(try context.fetch(Trip.all).first)
      setAgain(trip)
      trip.number = 5
    }
    try await container.root.perform { context in
      let trip = try #require(try context.fetch(Trip.all).first)
      trip.tags.insert("theirs")
      try context.save()
    }
    try await other.perform { context in
      context.mergePolicy = .mergeByPropertyObjectTrump
      try context.save()
    }
    let last = try #require(try container.coordinator.fetchHistory(HistoryRequest()).last)
    #expect(last.changes.map(\.updatedProperties) == [["number"]])
    try await container.root.perform { context in
      context.refreshAllObjects()
      let trip = try #require(try context.fetch(Trip.all).first)
      #expect(trip.tags == tags.union(["theirs"]) && trip.number == 5)
    }
  }
}
