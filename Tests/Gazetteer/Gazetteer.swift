// SPDX-License-Identifier: Apache-2.0
import Foundation
public import Strata

/// The content of a store that is damaged, all that a program can learn of it, and a change of it.
///
/// The values of an object follow from its code. So a test can say them without a store.
public struct Gazetteer: Sendable {
  public let townCount: Int
  let regionCount: Int
  let regionNameCount: Int
  let labelCount: Int
  /// Ranks are below it.
  let rankCount: Int
  /// How many towns a save inserts.
  let batchCount: Int
  /// One town of so many has a map.
  let mapDistance: Int
  /// Whether later saves change towns of earlier ones.
  let isRewritten: Bool
  /// How many towns the change adds.
  let addedCount: Int
  /// How far apart the codes are that the facts look up.
  let lookUpDistance: Int

  /// Some 20 pages.
  public static let small = Gazetteer(
    townCount: 60, regionCount: 4, regionNameCount: 3, labelCount: 5, rankCount: 3, batchCount: 20,
    mapDistance: 20, isRewritten: false, addedCount: 9, lookUpDistance: 11)

  /// Some 300 pages.
  public static let large = Gazetteer(
    townCount: 1_600, regionCount: 40, regionNameCount: 7, labelCount: 24, rankCount: 9,
    batchCount: 40, mapDistance: 50, isRewritten: true, addedCount: 60, lookUpDistance: 37)

  public static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(Region.self, Town.self, Label.self)
  }

  // MARK: - Writing

  /// Inserts and saves all objects.
  ///
  /// - Parameter halfway: called after half of the saves, when the store has no open transaction.
  public func fill(
    _ context: ManagedObjectContext, halfway: () throws -> Void = {}
  ) throws {
    for code in 0..<labelCount { Label(context: context).name = "label \(code)" }
    for code in 0..<regionCount {
      let region = Region(context: context)
      region.code = code
      region.name = "region \(code % regionNameCount)"
    }
    try context.save()
    let roundCount = townCount / batchCount
    for round in 0..<roundCount {
      if round == roundCount / 2 { try halfway() }
      for code in (round * batchCount)..<((round + 1) * batchCount) {
        try insertTown(code, into: context)
      }
      if isRewritten, round > roundCount / 4 {
        for town in try context.fetch(Town.where { $0.rank == round % rankCount }).prefix(7) {
          town.name += "."
        }
      }
      try context.save()
    }
  }

  public func insertTown(_ code: Int, into context: ManagedObjectContext) throws {
    let town = Town(context: context)
    town.code = code
    town.name = "town \(code * 7 % townCount)"
    town.rank = code * 5 % rankCount
    town.area = Double(code) / 3
    if !code.isMultiple(of: 3) { town.motto = "motto \(code % 5)" }
    if !code.isMultiple(of: 4) { town.height = code % 7 }
    if code.isMultiple(of: mapDistance) {
      town.map = Data(repeating: UInt8(code % 251), count: 9_000)
    }
    town.region = try context.fetch(Region.where { $0.code == code % regionCount }).first
    for label in try context.fetch(Label.all.sorted(by: \.name)).prefix(code % 4) {
      town.labels.insert(label)
    }
  }

  /// A save that inserts, updates and deletes in all trees.
  public func change(_ context: ManagedObjectContext) throws {
    for code in townCount..<(townCount + addedCount) { try insertTown(code, into: context) }
    let rank = rankCount / 2
    for town in try context.fetch(Town.where { $0.rank == rank }) {
      town.rank = rank + 1
      town.name += "!"
      town.motto = town.motto == nil ? "new" : nil
      town.map = Data(repeating: 1, count: 5_000)
    }
    if let region = try context.fetch(Region.where { $0.code == 3 }).first {
      context.delete(region)
    }
    for label in try context.fetch(Label.all.sorted(by: \.name)).suffix(2) {
      context.delete(label)
    }
    try context.save()
  }

  // MARK: - Reading

  /// All that a program can learn from the store, by scans, by indexes and by relationships.
  public func facts(of context: ManagedObjectContext) throws -> String {
    var facts: [String] = []
    for town in try context.fetch(Town.all.sorted(by: \.code)) {
      let height = town.height.map { "\($0)" } ?? "flat"
      facts.append(
        "\(town.code) \(town.name) \(town.rank) \(town.area) \(town.motto ?? "none") \(height)"
          + " \(town.map?.count ?? -1) \(town.map?.reduce(0) { $0 &+ Int($1) } ?? 0)"
          + " \(town.region?.code ?? -1) "
          + town.labels.map(\.name).sorted().joined(separator: ","))
    }
    for region in try context.fetch(Region.all.sorted(by: \.name).sorted(by: \.code)) {
      facts.append("\(region.code) \(region.name) \(region.towns.map(\.code).sorted())")
    }
    for label in try context.fetch(Label.all.sorted(by: \.name)) {
      facts.append("\(label.name) \(label.towns.count) \(label.towns.map(\.code).sorted())")
    }
    for rank in 0..<rankCount {
      facts.append("\(try context.count(Town.where { $0.rank == rank }))")
      facts.append("\(try context.fetch(Town.where { $0.rank == rank }).map(\.code).sorted())")
    }
    for code in stride(from: 0, to: townCount + addedCount, by: lookUpDistance) {
      facts.append("\(try context.fetch(Town.where { $0.code == code }).map(\.name))")
      let name = "town \(code)"
      facts.append("\(try context.fetch(Town.where { $0.name == name }).map(\.code).sorted())")
    }
    facts.append("\(try context.fetch(Town.where { $0.motto == nil }).map(\.code).sorted())")
    facts.append("\(try context.fetch(Town.all.sorted(by: \.name).limit(50)).map(\.name))")
    return facts.joined(separator: "\n")
  }
}
