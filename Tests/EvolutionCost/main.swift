// SPDX-License-Identifier: Apache-2.0
//
// How long a store with many objects takes to open with a changed model: `EvolutionCost <folder>
// [count]`. Each time is the shortest of three, for a copy of the file that is in the system's
// memory.

import Foundation
import Strata

enum Plain {
  @Entity
  final class Place: ManagedObject {
    var name: String
    var number: Int
    var weight: Double = 0
  }

  static func model() throws -> ManagedObjectModel { try .init(Place.self) }
}

/// With an attribute more.
enum Ranked {
  @Entity
  final class Place: ManagedObject {
    var name: String
    var number: Int
    var weight: Double = 0
    var rank: Int = 7
  }

  static func model() throws -> ManagedObjectModel { try .init(Place.self) }
}

/// With an index over that attribute.
enum RankIndexed {
  @Entity
  final class Place: ManagedObject {
    var name: String
    var number: Int
    var weight: Double = 0
    @Attribute(.indexed) var rank: Int = 7
  }

  static func model() throws -> ManagedObjectModel { try .init(Place.self) }
}

/// With an index over an attribute that each object has another value of.
enum NameIndexed {
  @Entity
  final class Place: ManagedObject {
    @Attribute(.indexed) var name: String
    var number: Int
    var weight: Double = 0
  }

  static func model() throws -> ManagedObjectModel { try .init(Place.self) }
}

/// With a constraint.
enum NumberUnique {
  @Entity
  final class Place: ManagedObject {
    var name: String
    @Attribute(.unique) var number: Int
    var weight: Double = 0
  }

  static func model() throws -> ManagedObjectModel { try .init(Place.self) }
}

/// With a superentity.
enum Layered {
  @Entity(isAbstract: true)
  class Named: ManagedObject {
    var name: String
  }

  @Entity
  final class Place: Named {
    var number: Int
    var weight: Double = 0
  }

  static func model() throws -> ManagedObjectModel { try .init(Named.self, Place.self) }
}

func makeStore(at url: URL, _ count: Int) throws {
  let coordinator = try PersistentStoreCoordinator(
    at: url, model: Plain.model(), durability: .none)
  try coordinator.execute(BatchInsertRequest(Plain.Place.self), rows: 0..<count) { place, number in
    place.name = "place \((number &* 7_919) % count)"
    place.number = number
    place.weight = Double(number) / 2
  }
}

/// The time of opening a copy of a store.
func time(_ store: URL, _ model: ManagedObjectModel) throws -> Duration {
  var shortest: Duration?
  for round in 0..<3 {
    let copy = URL(fileURLWithPath: "\(store.path)-copy\(round)")
    defer {
      for end in ["", "-lock"] { try? FileManager.default.removeItem(atPath: copy.path + end) }
    }
    try FileManager.default.copyItem(at: store, to: copy)
    let start = ContinuousClock.now
    _ = try PersistentStoreCoordinator(at: copy, model: model)
    let duration = ContinuousClock.now - start
    shortest = min(shortest ?? duration, duration)
  }
  return shortest ?? .zero
}

guard let path = CommandLine.arguments.dropFirst().first else {
  print("usage: EvolutionCost <folder> [count]")
  exit(64)
}
let folder = URL(fileURLWithPath: path, isDirectory: true)
let count = CommandLine.arguments.dropFirst(2).first.flatMap { Int($0) } ?? 1_000_000
let plain = folder.appendingPathComponent("plain.strata")
try makeStore(at: plain, count)
let ranked = folder.appendingPathComponent("ranked.strata")
try FileManager.default.copyItem(at: plain, to: ranked)
_ = try PersistentStoreCoordinator(at: ranked, model: Ranked.model())

print("\(count) objects, milliseconds")
let openings: [(String, URL, ManagedObjectModel)] = [
  ("the same model", plain, try Plain.model()),
  ("a new attribute", plain, try Ranked.model()),
  ("a new indexed attribute", plain, try RankIndexed.model()),
  ("that index alone", ranked, try RankIndexed.model()),
  ("an index over names", plain, try NameIndexed.model()),
  ("a constraint over numbers", plain, try NumberUnique.model()),
  ("a superentity with the name", plain, try Layered.model()),
]
for (change, store, model) in openings {
  let milliseconds = try time(store, model) / .milliseconds(1)
  print("\(change): \(String(format: "%.1f", milliseconds))")
}
