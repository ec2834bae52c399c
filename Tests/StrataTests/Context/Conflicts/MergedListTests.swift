// SPDX-License-Identifier: Apache-2.0
import Strata
import Testing

@Entity private final class Disc: ManagedObject {
  @Attribute(.unique) var code: String?
  @Relationship(inverse: \Tune.disc) var tunes: OrderedToMany<Tune>
  @Relationship(inverse: \Print.discs) var prints: OrderedToMany<Print>
  var sleeves: OrderedToMany<Print>
}

@Entity private final class Tune: ManagedObject {
  var name: String
  var disc: Disc?
}

@Entity private final class Print: ManagedObject {
  var name: String
  var discs: ToMany<Disc>
}

extension ManagedObjectContext {
  /// A disc with tunes, prints and sleeves of these names.
  @discardableResult
  fileprivate func disc(_ code: String, _ names: [String]) -> Disc {
    let disc = Disc(context: self)
    disc.code = code
    for name in names {
      let tune = Tune(context: self)
      tune.name = name
      disc.tunes.append(tune)
      for list in [disc.prints, disc.sleeves] {
        let print = Print(context: self)
        print.name = name
        list.append(print)
      }
    }
    return disc
  }
}

@Suite struct `The ordered members of an object that gives way to a constraint` {
  private let container: PersistentContainer

  init() throws {
    container = try PersistentContainer(
      inMemory: ManagedObjectModel(Disc.self, Tune.self, Print.self))
  }

  private func lists() throws -> [[String]] {
    let reader = ManagedObjectContext(parent: container.coordinator)
    let discs = try reader.fetch(Disc.all)
    #expect(discs.count == 1)
    return discs.flatMap { disc in
      [disc.tunes.map(\.name), disc.prints.map(\.name), disc.sleeves.map(\.name)]
    }
  }

  @Test(arguments: [MergePolicy.mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump])
  func `follow the survivor's own, in their order`(_ policy: MergePolicy) throws {
    let first = ManagedObjectContext(parent: container.coordinator)
    first.disc("X", ["a", "b", "c"])
    try first.save()
    let second = ManagedObjectContext(parent: container.coordinator)
    second.mergePolicy = policy
    second.disc("X", ["d", "e", "f", "g"])
    try second.save()
    #expect(try lists() == Array(repeating: ["a", "b", "c", "d", "e", "f", "g"], count: 3))
  }

  @Test func `follow each other in the order in which their owners were inserted`() throws {
    let context = ManagedObjectContext(parent: container.coordinator)
    context.mergePolicy = .mergeByPropertyStoreTrump
    for names in [["a", "b"], ["c", "d"], ["e", "f"]] { context.disc("X", names) }
    try context.save()
    #expect(try lists() == Array(repeating: ["a", "b", "c", "d", "e", "f"], count: 3))
  }

  @Test func `keep the place that the survivor gave them, if they are members already`() throws {
    let first = ManagedObjectContext(parent: container.coordinator)
    let disc = first.disc("X", ["a", "b", "c"])
    try first.save()
    let second = ManagedObjectContext(parent: container.coordinator)
    second.mergePolicy = .mergeByPropertyStoreTrump
    let twin = second.disc("X", ["d"])
    let shared = try #require(
      try second.existingObject(Disc.self, with: disc.objectID).sleeves.first)
    twin.sleeves.append(shared)
    try second.save()
    #expect(try lists()[2] == ["a", "b", "c", "d"])
  }
}
