// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Strata
import Testing

/// One root links or deletes objects that another root has deleted or linked since. Before it:
/// country IR, city Rey, language fa, route R, ferry F; nothing is linked.
private enum Scene: String, Sendable, CaseIterable {
  /// We set City.country, they delete the country.
  case weLinkToOne
  /// We add a language to the country, they delete the language.
  case weLinkToMany
  /// We delete the city, they have a route start at it: no inverse, so the route is nullified.
  case theyReferNullify
  /// We delete the country, they add a city: cascade.
  case theyReferCascade
  /// We delete the country; they add a city, from which a route starts.
  case theyReferCascadeChain
  /// We delete the route, they add a ferry to it: deny, links of two to-many sides.
  case theyReferDeny
  /// We delete the language, they add it to the country: nullify, links of two to-many sides.
  case theyLinkToMany
  /// We delete the ferry, they have it lead to a port: deny, by a slot of its own.
  case theyGiveItAPort

  func ours(_ context: ManagedObjectContext) throws {
    switch self {
    case .weLinkToOne: try context.one(City.self).country = try context.one(Country.self)
    case .weLinkToMany:
      try context.one(Country.self).languages.insert(try context.one(Language.self))
    case .theyReferNullify: context.delete(try context.one(City.self))
    case .theyReferCascade, .theyReferCascadeChain: context.delete(try context.one(Country.self))
    case .theyReferDeny: context.delete(try context.one(Route.self))
    case .theyLinkToMany: context.delete(try context.one(Language.self))
    case .theyGiveItAPort: context.delete(try context.one(Ferry.self))
    }
  }

  func theirs(_ context: ManagedObjectContext) throws {
    switch self {
    case .weLinkToOne: context.delete(try context.one(Country.self))
    case .weLinkToMany: context.delete(try context.one(Language.self))
    case .theyReferNullify: try context.one(Route.self).start = try context.one(City.self)
    case .theyReferCascade: try context.one(City.self).country = try context.one(Country.self)
    case .theyReferCascadeChain:
      try context.one(City.self).country = try context.one(Country.self)
      try context.one(Route.self).start = try context.one(City.self)
    case .theyReferDeny: try context.one(Route.self).ferries.insert(try context.one(Ferry.self))
    case .theyLinkToMany:
      try context.one(Country.self).languages.insert(try context.one(Language.self))
    case .theyGiveItAPort: try context.one(Ferry.self).port = try context.one(City.self)
    }
  }

  /// The final content, sorted; nil if the save is refused.
  func outcome(_ policy: MergePolicy) -> [String]? {
    let isOurs = policy == .overwrite || policy == .mergeByPropertyObjectTrump
    switch self {
    case .theyLinkToMany: return ["F", "IR", "R", "Rey"]
    case _ where policy == .error: return nil
    case .weLinkToOne: return ["F", "R", "Rey", "fa"]
    case .weLinkToMany: return ["F", "IR", "R", "Rey"]
    case .theyReferNullify:
      return isOurs ? ["F", "IR", "R", "fa"] : ["F", "IR", "R from Rey", "Rey", "fa"]
    case .theyReferCascade:
      return isOurs ? ["F", "R", "fa"] : ["F", "IR", "R", "Rey in IR", "fa"]
    case .theyReferCascadeChain:
      return isOurs ? ["F", "R", "fa"] : ["F", "IR", "R from Rey", "Rey in IR", "fa"]
    case .theyReferDeny: return isOurs ? nil : ["F", "IR", "R with F", "Rey", "fa"]
    case .theyGiveItAPort: return isOurs ? nil : ["F to Rey", "IR", "R", "Rey", "fa"]
    }
  }

  /// Their saved state.
  var before: [String] {
    switch self {
    case .weLinkToOne: ["F", "R", "Rey", "fa"]
    case .weLinkToMany: ["F", "IR", "R", "Rey"]
    case .theyReferNullify: ["F", "IR", "R from Rey", "Rey", "fa"]
    case .theyReferCascade: ["F", "IR", "R", "Rey in IR", "fa"]
    case .theyReferCascadeChain: ["F", "IR", "R from Rey", "Rey in IR", "fa"]
    case .theyReferDeny: ["F", "IR", "R with F", "Rey", "fa"]
    case .theyLinkToMany: ["F", "IR speaks fa", "R", "Rey", "fa in IR"]
    case .theyGiveItAPort: ["F to Rey", "IR", "R", "Rey", "fa"]
    }
  }

  /// Why the save is refused.
  func causes(_ policy: MergePolicy) -> [StoreError.DanglingLink.Cause] {
    switch self {
    case .weLinkToOne: [.missingTarget]
    case .weLinkToMany: [.missingTarget]
    case .theyReferNullify, .theyReferCascade, .theyReferCascadeChain: [.unknownReferrer]
    case .theyReferDeny: [policy == .error ? .unknownMember : .deniedMember]
    case .theyGiveItAPort: [.deniedMember]
    case .theyLinkToMany: []
    }
  }
}

extension ManagedObjectContext {
  /// The only object of its entity.
  fileprivate func one<T: Entity>(_ type: T.Type) throws -> T {
    let all = try fetch(FetchRequest<T>())
    return try #require(all.first)
  }

  /// Every object with its links.
  fileprivate func inventory() throws -> [String] {
    var lines = try fetch(Country.all).map { country in
      country.iso + country.languages.map { " speaks \($0.code)" }.joined()
    }
    lines += try fetch(City.all).map { $0.name + ($0.country.map { " in \($0.iso)" } ?? "") }
    lines += try fetch(Language.all).map { language in
      language.code + language.countries.map { " in \($0.iso)" }.joined()
    }
    lines += try fetch(Route.all).map { route in
      route.name + (route.start.map { " from \($0.name)" } ?? "")
        + route.ferries.map { " with \($0.name)" }.joined()
    }
    lines += try fetch(Ferry.all).map { $0.name + ($0.port.map { " to \($0.name)" } ?? "") }
    return lines.sorted()
  }
}

@Suite struct `A link to an object that another save deletes` {
  private static let policies: [MergePolicy] = [
    .error, .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
  ]

  private func stored(_ container: PersistentContainer) throws -> [String] {
    try ContextQueue(parent: container.coordinator).performAndWait { try $0.inventory() }
  }

  private func filled() throws -> PersistentContainer {
    let container = try geography()
    try container.root.performAndWait { context in
      context.country("IR")
      context.city("Rey")
      Language(context: context).code = "fa"
      Route(context: context).name = "R"
      Ferry(context: context).name = "F"
      try context.save()
    }
    return container
  }

  /// Depth 0: the root itself has made the change; 2: a grandchild of it.
  @Test(arguments: Scene.allCases, policies)
  private func `is a conflict that ends as documented`(
    _ scene: Scene, policy: MergePolicy
  ) async throws {
    for depth in [0, 2] {
      let container = try filled()
      let root = container.root
      var levels = [root]
      for _ in 0..<depth { levels.append(ContextQueue(parent: try #require(levels.last))) }
      try await levels[depth].perform { try scene.ours($0) }
      for level in levels.dropFirst().reversed() { try await level.save() }
      do {
        try root.performAndWait { context in
          context.mergePolicy = policy
          // This turn has read its objects before they save: else it would deny by itself.
          _ = try context.inventory()
          try ContextQueue(parent: container.coordinator).performAndWait { other in
            try scene.theirs(other)
            try other.save()
          }
          let before = try stored(container)
          #expect(before == scene.before)
          try context.save()
          #expect(!context.hasChanges)
          let inventory = try context.inventory()
          #expect(inventory == scene.outcome(policy), "the context that saved sees it")
        }
        #expect(try stored(container) == scene.outcome(policy))
      } catch StoreError.danglingLinks(let links) {
        #expect(scene.outcome(policy) == nil)
        #expect(links.map(\.cause) == scene.causes(policy))
        #expect(try stored(container) == scene.before, "nothing was written")
        let isDirty = try await root.perform { $0.hasChanges }
        #expect(isDirty)
      } catch StoreError.conflicts {
        #expect(scene == .theyGiveItAPort && policy == .error)
      }
    }
  }

  @Test
  func `is reported to observers of the context: the objects that a cascade and a nullify reached`()
    throws
  {
    let container = try filled()
    let (city, route) = try container.root.performAndWait { context in
      context.mergePolicy = .mergeByPropertyObjectTrump
      try Scene.theyReferCascadeChain.ours(context)
      return (try context.one(City.self).objectID, try context.one(Route.self).objectID)
    }
    try ContextQueue(parent: container.coordinator).performAndWait { context in
      try Scene.theyReferCascadeChain.theirs(context)
      try context.save()
    }
    let log = MessageLog(container.root.layer)
    try container.root.performAndWait { context in
      let held = try context.existingObject(City.self, with: city)
      let start = try context.existingObject(Route.self, with: route)
      #expect(start.name == "R")
      try context.save()
      #expect(held.managedObjectContext == nil, "it is detached, as after a deletion of our own")
      #expect(start.start == nil)
      #expect(!start.hasChanges)
    }
    let saved = try #require(log.messages(.didSave).last)
    #expect(saved.objects.deleted.contains(city))
    #expect(saved.objects.updated.contains(route))
  }

  @Test func `is decided by a custom policy that sees the deletion`() throws {
    for answer in [MergePolicy.Decision.keepTheirs, .takeOurs, .fail] {
      let container = try filled()
      try container.root.performAndWait { context in
        context.mergePolicy = .custom("test") { conflict in
          #expect(conflict.ourValues == nil)
          #expect(conflict.theirValues?["name"] == .string("Rey"))
          return answer
        }
        try Scene.theyReferNullify.ours(context)
      }
      try ContextQueue(parent: container.coordinator).performAndWait { context in
        try Scene.theyReferNullify.theirs(context)
        try context.save()
      }
      switch answer {
      case .fail:
        #expect { try container.root.performAndWait { try $0.save() } } throws: {
          if case StoreError.danglingLinks = $0 { true } else { false }
        }
      case .keepTheirs:
        try container.root.performAndWait { try $0.save() }
        #expect(try stored(container) == Scene.theyReferNullify.outcome(.rollback))
      default:
        try container.root.performAndWait { try $0.save() }
        #expect(try stored(container) == Scene.theyReferNullify.outcome(.overwrite))
      }
    }
  }

  @Test(arguments: policies.dropFirst())
  func `of a one-to-one pair leaves no half of another pair`(_ policy: MergePolicy) throws {
    let container = try filled()
    try container.root.performAndWait { context in
      context.mergePolicy = policy
      let government = Government(context: context)
      government.form = "ours"
      government.country = try context.one(Country.self)
    }
    try ContextQueue(parent: container.coordinator).performAndWait { context in
      let government = Government(context: context)
      government.form = "theirs"
      government.country = try context.one(Country.self)
      try context.save()
    }
    try container.root.performAndWait { try $0.save() }
    try ContextQueue(parent: container.coordinator).performAndWait { context in
      let country = try context.one(Country.self)
      let winner = policy == .overwrite || policy == .mergeByPropertyObjectTrump
      #expect(country.government?.form == (winner ? "ours" : "theirs"))
      let governments = try context.fetch(Government.all)
      #expect(governments.count == 2)
      for government in governments {
        #expect((government.country === country) == (country.government === government))
      }
    }
  }
}

@Suite struct `A child's link to an object that others have deleted` {
  @Test(
    arguments: [SaveDestination.parent, .store],
    [MergePolicy.error, .mergeByPropertyObjectTrump, .overwrite])
  func `is refused or dropped in its save, by its policy`(
    destination: SaveDestination, policy: MergePolicy
  ) async throws {
    let container = try geography()
    try container.root.performAndWait { context in
      _ = context.city("A")
      _ = Country(context: context)
      _ = Language(context: context)
      try context.save()
    }
    let worker = container.newBackgroundContext()
    let city = try worker.performAndWait { context in
      context.mergePolicy = policy
      let (city, new) = (try context.one(City.self), context.city("B"))
      city.country = try context.one(Country.self)
      new.country = city.country
      try context.one(Country.self).languages.insert(try context.one(Language.self))
      return city.objectID
    }
    try ContextQueue(parent: container.coordinator).performAndWait { context in
      context.delete(try context.one(Country.self))
      try context.save()
    }
    do {
      try await worker.save(to: destination)
      #expect(policy != .error)
    } catch StoreError.danglingLinks(let links) {
      #expect(policy == .error)
      #expect(Set(links.map(\.property)) == ["country", "countries"])
      #expect(links.contains { $0.owner == city })
    }
    #expect(try await worker.perform { $0.hasChanges } == (policy == .error))
    #expect(
      try await container.root.perform { $0.hasChanges }
        == (policy != .error && destination == .parent))
  }
}
