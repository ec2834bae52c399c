// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataChanges
import StrataStore

// The store whose file is fuzzed. It has each kind of tree: records, indexes of one and of several
// properties, values that share a block, links in both directions, external data, history.

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

/// The content of the store, all that a program can learn of it, and a change of it.
enum FuzzedStore {
  private static let regionCount = 4
  private static let townCount = 60
  private static let labelCount = 5

  static func open(_ url: URL) throws -> PersistentContainer {
    try PersistentContainer(at: url, model: model(), durability: .none)
  }

  static func openInMemory() throws -> PersistentContainer {
    try PersistentContainer(inMemory: model())
  }

  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(Region.self, Town.self, Label.self)
  }

  static func make(at url: URL) throws {
    let container = try open(url)
    try keepHistory(of: container.coordinator)
    try container.root.performAndWait { try fill($0) }
  }

  /// Inserts and saves all objects.
  static func fill(_ context: ManagedObjectContext) throws {
    for code in 0..<labelCount { Label(context: context).name = "label \(code)" }
    for code in 0..<regionCount {
      let region = Region(context: context)
      region.code = code
      region.name = "region \(code % 3)"
    }
    try context.save()
    for code in 0..<townCount {
      try makeTown(code, in: context)
      if code.isMultiple(of: 20) { try context.save() }
    }
    try context.save()
  }

  /// Waits for it: only programs of several threads have anything else to do.
  private static func keepHistory(of coordinator: PersistentStoreCoordinator) throws {
    let isDone = DispatchSemaphore(value: 0)
    Task.detached {
      try? await coordinator.keepHistory()
      isDone.signal()
    }
    isDone.wait()
    guard try coordinator.historyStatus() != nil else { throw CocoaError(.featureUnsupported) }
  }

  static func makeTown(_ code: Int, in context: ManagedObjectContext) throws {
    let town = Town(context: context)
    town.code = code
    town.name = "town \(code * 7 % townCount)"
    town.rank = code * 5 % 3
    town.area = Double(code) / 3
    if code.isMultiple(of: 20) { town.map = Data(repeating: UInt8(code), count: 5_000) }
    town.region = try context.fetch(Region.where { $0.code == code % regionCount }).first
    for label in try context.fetch(Label.all.sorted(by: \.name)).prefix(code % 4) {
      town.labels.insert(label)
    }
  }

  /// All that a program can learn from the store: by scans, by indexes and by relationships.
  static func facts(of context: ManagedObjectContext) throws -> String {
    var facts: [String] = []
    for town in try context.fetch(Town.all.sorted(by: \.code)) {
      facts.append(
        "\(town.code) \(town.name) \(town.rank) \(town.area) \(town.map?.count ?? -1)"
          + " \(town.map?.reduce(0) { $0 &+ Int($1) } ?? 0) \(town.region?.code ?? -1) "
          + town.labels.map(\.name).sorted().joined(separator: ","))
    }
    for region in try context.fetch(Region.all.sorted(by: \.name).sorted(by: \.code)) {
      facts.append("\(region.code) \(region.name) \(region.towns.map(\.code).sorted())")
    }
    for label in try context.fetch(Label.all.sorted(by: \.name)) {
      facts.append("\(label.name) \(label.towns.count) \(label.towns.map(\.code).sorted())")
    }
    for rank in 0..<3 {
      facts.append("\(try context.count(Town.where { $0.rank == rank }))")
      facts.append("\(try context.fetch(Town.where { $0.rank == rank }).map(\.code).sorted())")
    }
    for code in stride(from: 0, to: townCount, by: 11) {
      facts.append("\(try context.fetch(Town.where { $0.code == code }).map(\.name))")
      let name = "town \(code)"
      facts.append("\(try context.fetch(Town.where { $0.name == name }).map(\.code).sorted())")
    }
    facts.append("\(try context.fetch(Town.all.sorted(by: \.name).limit(9)).map(\.name))")
    return facts.joined(separator: "\n")
  }

  /// The history, and what the check of the tool finds: reports, no errors.
  static func inspect(_ coordinator: PersistentStoreCoordinator) throws {
    var check = StoreCheck(try coordinator.snapshot(), progress: { _ in }, report: { _ in })
    _ = check.run()
    for transaction in try coordinator.fetchHistory(HistoryRequest()) {
      for _ in transaction.changes {}
    }
  }

  /// A save that inserts, updates and deletes in all trees.
  static func change(_ context: ManagedObjectContext) throws {
    for code in townCount..<(townCount + 9) { try makeTown(code, in: context) }
    for town in try context.fetch(Town.where { $0.rank == 1 }) {
      town.rank = 2
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
