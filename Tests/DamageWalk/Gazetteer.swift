// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata

// The store that is damaged. It has each kind of tree: records, indexes of one and of several
// properties, values that share a posting block, links in both directions, external data, history.

@Entity final class Region: ManagedObject {
  @Attribute(.unique) var code: Int = 0
  @Attribute(.indexed) var name: String
  @Relationship(deleteRule: .cascade, inverse: \Town.region) var towns: ToMany<Town>
}

@Entity final class Town: ManagedObject {
  @Attribute(.unique) var code: Int = 0
  @Attribute(.indexed) var name: String
  @Attribute(.indexed) var rank: Int = 0
  var area: Double = 0
  @Attribute(.external) var map: Data?
  var region: Region?
  @Relationship(inverse: \Label.towns) var labels: ToMany<Label>
}

@Entity final class Label: ManagedObject {
  @Attribute(.indexed) var name: String
  var towns: ToMany<Town>
}

enum Gazetteer {
  static let regionCount = 40
  static let townCount = 1_600
  static let labelCount = 24

  static func open(_ url: URL) throws -> PersistentContainer {
    try PersistentContainer(
      at: url, model: ManagedObjectModel(Region.self, Town.self, Label.self), durability: .none)
  }

  /// Fills a new store.
  ///
  /// - Parameter halfway: called after half of the saves, when the store has no open transaction.
  static func make(at url: URL, halfway: @Sendable () throws -> Void) throws {
    let container = try open(url)
    try container.root.performAndWait { context in
      for code in 0..<labelCount { Label(context: context).name = "label \(code)" }
      for code in 0..<regionCount {
        let region = Region(context: context)
        region.code = code
        region.name = "region \(code % 7)"
      }
      try context.save()
      for round in 0..<40 {
        if round == 20 { try halfway() }
        for code in (round * 40)..<(round * 40 + 40) { try makeTown(code, in: context) }
        if round > 10 {
          for town in try context.fetch(Town.where { $0.rank == round % 9 }).prefix(7) {
            town.name += "."
          }
        }
        try context.save()
      }
    }
    // The last reference closes the file.
  }

  private static func makeTown(_ code: Int, in context: ManagedObjectContext) throws {
    let town = Town(context: context)
    town.code = code
    town.name = "town \(code * 7_919 % townCount)"
    town.rank = code * 104_729 % 9
    town.area = Double(code) / 3
    if code.isMultiple(of: 50) { town.map = Data(repeating: UInt8(code % 251), count: 9_000) }
    town.region = try context.fetch(Region.where { $0.code == code % regionCount }).first
    for label in try context.fetch(Label.all.sorted(by: \.name)).prefix(code % 4) {
      town.labels.insert(label)
    }
  }

  // MARK: - Reading

  /// All that a program can learn from the store, by scans, by indexes and by relationships.
  static func facts(of context: ManagedObjectContext) throws -> String {
    var facts: [String] = []
    for town in try context.fetch(Town.all.sorted(by: \.code)) {
      facts.append(
        "\(town.code) \(town.name) \(town.rank) \(town.area) \(town.map?.count ?? -1)"
          + " \(town.map?.reduce(0) { $0 &+ Int($1) } ?? 0) \(town.region?.code ?? -1) "
          + town.labels.map(\.name).sorted().joined(separator: ","))
    }
    for region in try context.fetch(Region.all.sorted(by: \.name).sorted(by: \.code)) {
      let codes = region.towns.map(\.code).sorted()
      facts.append("\(region.code) \(region.name) \(codes)")
    }
    for label in try context.fetch(Label.all.sorted(by: \.name)) {
      facts.append("\(label.name) \(label.towns.count) \(label.towns.map(\.code).sorted())")
    }
    for rank in 0..<9 {
      facts.append("\(try context.count(Town.where { $0.rank == rank }))")
      facts.append("\(try context.fetch(Town.where { $0.rank == rank }).map(\.code).sorted())")
    }
    for code in stride(from: 0, to: townCount + 40, by: 37) {
      facts.append("\(try context.fetch(Town.where { $0.code == code }).map(\.name))")
      let name = "town \(code)"
      facts.append("\(try context.fetch(Town.where { $0.name == name }).map(\.code).sorted())")
    }
    facts.append("\(try context.fetch(Town.all.sorted(by: \.name).limit(50)).map(\.name))")
    return facts.joined(separator: "\n")
  }

  /// A save that inserts, updates and deletes in all trees.
  static func change(_ context: ManagedObjectContext) throws {
    for code in townCount..<(townCount + 60) { try makeTown(code, in: context) }
    for town in try context.fetch(Town.where { $0.rank == 4 }) {
      town.rank = 5
      town.name += "!"
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
}
