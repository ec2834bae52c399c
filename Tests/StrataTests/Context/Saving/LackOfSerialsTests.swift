// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataLMDB
import StrataStore
import StrataTestSupport
import Testing

/// A store with one city, "old", whose counter of serials can be set.
@Suite struct `A save of objects for which the store has no serials` {
  private let directory: TemporaryDirectory
  private let container: PersistentContainer
  private let environment: Environment

  init() throws {
    directory = try TemporaryDirectory()
    do {
      let context = ManagedObjectContext(parent: try geography(in: directory).coordinator)
      context.city("old")
      try context.save()
    }
    container = try geography(in: directory)
    var options = EnvironmentOptions()
    options.durability = .none
    environment = try Environment.open(
      at: directory.file("geography.strata").path, options: options)
  }

  private func setCounter(_ counter: UInt64) throws {
    try environment.writeSync { transaction in
      try withUnsafeBytes(of: counter.littleEndian) { try transaction.setNote("#serial", to: $0) }
    }
  }

  @Test func `is refused for good if all were used, and a new store takes copies`() throws {
    try setCounter(1 << 40 - 1)
    let context = ManagedObjectContext(parent: container.coordinator)
    let new = context.city("new")
    for _ in 0..<2 {
      #expect {
        try context.save()
      } throws: {
        if case StoreError.serialsExhausted = $0 { true } else { false }
      }
    }
    #expect(context.insertedObjects == [new])
    #expect(try context.cityNames() == ["new", "old"])
    let copy = ManagedObjectContext(parent: try geography().coordinator)
    for city in try context.fetch(City.all) { copy.city(city.name, population: city.population) }
    try copy.save()
    #expect(try copy.cityNames() == ["new", "old"])
    // Other changes can be saved.
    context.rollback()
    try #require(try context.first(City.all)).population = 7
    try context.save()
    #expect(try context.cityNames() == ["old"])
  }

  /// The counter is damaged only while the first object is inserted, as if it could not be read.
  @Test func `is refused until they are inserted again if the store could give none`() throws {
    try setCounter(0)
    let context = ManagedObjectContext(parent: container.coordinator)
    let new = context.city("new")
    try setCounter(1_000)
    for _ in 0..<2 {
      #expect {
        try context.save()
      } throws: {
        if case StoreError.serialsUnreserved = $0 { true } else { false }
      }
    }
    #expect(context.insertedObjects == [new] && new.name == "new")
    context.rollback()
    context.city("new")
    try context.save()
    let reader = ManagedObjectContext(parent: container.coordinator)
    #expect(try reader.cityNames() == ["new", "old"])
  }
}
