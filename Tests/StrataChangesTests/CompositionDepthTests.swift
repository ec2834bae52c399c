// SPDX-License-Identifier: Apache-2.0
import PendingModel
import StrataChanges
import StrataModel
import StrataRecord
import Testing

private typealias G = Geography

/// Three levels each insert, update or delete the same object: all 27 ways, pushed in both orders.
@Suite struct `Changes of one object from three levels` {
  enum Operation: CaseIterable {
    case insert, update, delete
  }

  /// An object as it is, by name and population.
  struct City: Equatable {
    var name: String
    var population: Int64
  }

  /// The changes of three levels, the lowest, which is the oldest, first. Each writes the level's
  /// number.
  static let ways: [[Operation]] = Operation.allCases.flatMap { lowest in
    Operation.allCases.flatMap { middle in
      Operation.allCases.map { [lowest, middle, $0] }
    }
  }

  private let key = G.key("City", 1)
  private let stored = City(name: "stored", population: 100)

  /// The plain meaning: one after the other, each over the result of the one before.
  private func apply(_ operation: Operation, level: Int, to city: City?) -> City? {
    switch operation {
    case .insert: City(name: "inserted \(level)", population: Int64(level))
    case .update: updated(city, level: level)
    case .delete: nil
    }
  }

  /// The lowest level and the topmost one set the name, the middle one the population.
  private func updated(_ city: City?, level: Int) -> City? {
    guard var city else { return nil }
    if level == 1 { city.population = 11 } else { city.name = "updated \(level)" }
    return city
  }

  private func record(_ city: City) -> Record {
    G.city(name: city.name, population: city.population)
  }

  /// The level's pending changes, made from the state that it has read: `seen`, of generation
  /// `level + 3`.
  private func segment(_ operation: Operation, level: Int, seen: City) -> Segment {
    let base = Base(record: record(seen), generation: UInt64(level) + 3)
    let change: Change
    switch operation {
    case .insert:
      change = .insert(
        record(City(name: "inserted \(level)", population: Int64(level))),
        slots: [G.name, G.population])
    case .update:
      let city = updated(seen, level: level) ?? seen
      change = .update(
        record(city), base: base, slots: level == 1 ? [G.population] : [G.name])
    case .delete: change = .delete(base: base)
    }
    return G.segment([key: change])
  }

  /// The result of a change for the object beneath it, as the store would write it.
  private func result(of change: Change?, on city: City?) -> City? {
    guard let change else { return city }
    guard change.kind != .delete, let name = G.name(change), let population = G.population(change)
    else { return nil }
    guard change.kind == .update else { return City(name: name, population: population) }
    guard var city else { return nil }
    if change.slots.contains(G.name) { city.name = name }
    if change.slots.contains(G.population) { city.population = population }
    return city
  }

  private func push(_ newer: Segment, onto older: Segment) -> Segment {
    let overlay = Overlay([older])
    let composed = Composition.compose(newer, onto: overlay, schema: G.schema)
    return overlay.adding(composed).flattened() ?? older
  }

  @Test(arguments: ways)
  func `compose as if they had been made one after the other`(way: [Operation]) {
    let beneath = way[0] == .insert ? nil : stored
    let expected = way.enumerated().reduce(beneath) { city, step in
      apply(step.element, level: step.offset, to: city)
    }
    // Each level has read the object as the store has it: the others had not pushed yet.
    let segments = way.enumerated().map { segment($0.element, level: $0.offset, seen: stored) }
    let middleFirst = push(segments[2], onto: push(segments[1], onto: segments[0]))
    let topFirst = push(push(segments[2], onto: segments[1]), onto: segments[0])
    // Pushed first to a level that has not deleted it or knows its base, an insert is an update;
    // and an update of an object that a third level has deleted is dropped.
    let isDropped = way[0] == .delete && way[1] != .insert && way[2] == .insert
    #expect(result(of: middleFirst.changes[key], on: beneath) == expected)
    #expect(result(of: topFirst.changes[key], on: beneath) == (isDropped ? nil : expected))
    for composed in [middleFirst, topFirst].map({ $0.changes[key] }) {
      // The store checks the oldest version that any of them has read; an object that was never
      // stored is not checked.
      if way[0] == .insert {
        #expect(composed?.base == nil)
        #expect(composed?.kind != .update)
      } else {
        #expect(composed?.base?.generation == 3)
        #expect(composed?.kind != .insert)
      }
    }
  }
}
