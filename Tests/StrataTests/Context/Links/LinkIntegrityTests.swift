// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

/// Three roots, each with a child, that link and delete without knowing of each other, and save
/// under every merge policy.
private struct IntegrityWorld: Model {
  var random: ModelRandom
  private let container: PersistentContainer
  private let roots: [ContextQueue]
  private let children: [ContextQueue]

  private static let policies: [MergePolicy] = [
    .error, .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
  ]

  init(_ random: ModelRandom) throws {
    self.random = random
    let container = try geography()
    self.container = container
    roots = [container.root] + (0..<2).map { _ in ContextQueue(parent: container.coordinator) }
    children = roots.map { ContextQueue(parent: $0) }
  }

  static var operations: [ModelOperation<IntegrityWorld>] {
    [
      ModelOperation("save") { try $0.save($0.random.below(3)) },
      ModelOperation("edit in a child", weight: 2) { world in
        try world.edit(world.children[world.random.below(3)], savesAlways: true)
      },
      ModelOperation("edit in a root", weight: 2) { world in
        try world.edit(world.roots[world.random.below(3)], savesAlways: false)
      },
    ]
  }

  // MARK: - Editing

  private mutating func edit(_ queue: ContextQueue, savesAlways: Bool) throws {
    let seed = random.next()
    let done = try queue.performAndWait { context in
      var random = SeededGenerator(seed: seed)
      let done = try (0...random.below(3)).map { _ in try Self.edit(context, &random) }
      if savesAlways {
        do { try context.save() } catch is ContextError { context.rollback() }
      }
      return done
    }
    random.note("  " + Self.named(done.joined(separator: ", ")))
  }

  /// The text with short names of objects.
  private static func named(_ text: String) -> String {
    text.replacing(/x-strata:\/\/[-0-9A-F]+\//, with: "#")
  }

  private static func edit(
    _ context: ManagedObjectContext, _ random: inout SeededGenerator
  ) throws -> String {
    switch random.below(14) {
    case 0: return "new \(context.country(UUID().uuidString).objectID)"
    case 1: return "new \(context.city("c", in: try any(Country.self, context, &random)).objectID)"
    case 2:
      let government = Government(context: context)
      government.country = try any(Country.self, context, &random)
      return "new \(government.objectID) of \(government.country?.objectID.description ?? "nil")"
    case 3:
      let language = Language(context: context)
      if let country = try any(Country.self, context, &random) {
        language.countries.insert(country)
      }
      return "new \(language.objectID)"
    case 4:
      let route = Route(context: context)
      route.start = try any(City.self, context, &random)
      if let city = try any(City.self, context, &random) { route.stops.append(city) }
      return "new \(route.objectID)"
    case 5:
      let ferry = Ferry(context: context)
      ferry.port = try any(City.self, context, &random)
      return "new \(ferry.objectID)"
    case 6, 7: return try link(context, &random)
    case 8:
      guard let city = try any(City.self, context, &random) else { return "nothing" }
      city.country = try any(Country.self, context, &random)
      return "\(city.objectID) to \(city.country?.objectID.description ?? "nil")"
    case 9:
      guard let government = try any(Government.self, context, &random) else { return "nothing" }
      government.country = try any(Country.self, context, &random)
      return
        "\(government.objectID) to \(government.country?.objectID.description ?? "nil")"
    case 10:
      guard let ferry = try any(Ferry.self, context, &random) else { return "nothing" }
      ferry.port = random.chance(2) ? nil : try any(City.self, context, &random)
      return "\(ferry.objectID) to \(ferry.port?.objectID.description ?? "nil")"
    default: return try delete(context, &random)
    }
  }

  private static func link(
    _ context: ManagedObjectContext, _ random: inout SeededGenerator
  ) throws -> String {
    switch random.below(4) {
    case 0:
      guard let one = try any(Country.self, context, &random),
        let two = try any(Country.self, context, &random)
      else { return "nothing" }
      one.neighbours.insert(two)
      return "\(one.objectID) beside \(two.objectID)"
    case 1:
      guard let country = try any(Country.self, context, &random),
        let language = try any(Language.self, context, &random)
      else { return "nothing" }
      if country.languages.contains(language) {
        country.languages.remove(language)
      } else {
        country.languages.insert(language)
      }
      return "\(country.objectID) speaks \(language.objectID)"
    case 2:
      guard let route = try any(Route.self, context, &random),
        let ferry = try any(Ferry.self, context, &random)
      else { return "nothing" }
      route.ferries.insert(ferry)
      return "\(route.objectID) with \(ferry.objectID)"
    default:
      guard let route = try any(Route.self, context, &random) else { return "nothing" }
      route.start = try any(City.self, context, &random)
      return "\(route.objectID) from \(route.start?.objectID.description ?? "nil")"
    }
  }

  private static func delete(
    _ context: ManagedObjectContext, _ random: inout SeededGenerator
  ) throws -> String {
    let object: ManagedObject? =
      switch random.below(6) {
      case 0: try any(Country.self, context, &random)
      case 1: try any(Government.self, context, &random)
      case 2: try any(Language.self, context, &random)
      case 3: try any(Route.self, context, &random)
      case 4: try any(Ferry.self, context, &random)
      default: try any(City.self, context, &random)
      }
    guard let object else { return "nothing" }
    context.delete(object)
    return "without \(object.objectID)"
  }

  private static func any<T: Entity>(
    _: T.Type, _ context: ManagedObjectContext, _ random: inout SeededGenerator
  ) throws -> T? {
    random.pick(try context.fetch(FetchRequest<T>()))
  }

  // MARK: - Saving

  private mutating func save(_ index: Int) throws {
    let policy = random.pick(Self.policies) ?? .error
    let outcome = try roots[index].performAndWait { context in
      context.mergePolicy = policy
      let saved = context.insertedObjects.union(context.updatedObjects)
      do {
        try context.save()
        return (true, try Self.complaint(context, about: saved))
      } catch is StoreError {
        context.rollback()
      } catch is ContextError {
        context.rollback()
      }
      return (false, String?.none)
    }
    random.note("  root \(index) with \(policy): \(outcome.0)")
    if outcome.0 { random.count("saved") }
    let complaint = try ContextQueue(parent: container.coordinator).performAndWait { context in
      try Self.complaint(context)
    }
    try expectNone([complaint ?? outcome.1].compactMap { $0.map(Self.named) })
  }

  /// Whether the saving context's values of its own objects equal the stored ones.
  private static func complaint(
    _ context: ManagedObjectContext, about saved: Set<ManagedObject>
  ) throws -> String? {
    let fresh = ManagedObjectContext(parent: context.coordinator)
    for object in saved {
      guard let stored = try? fresh.existingObject(ManagedObject.self, with: object.objectID) else {
        if object.managedObjectContext == nil { continue }
        return "\(object.objectID) is gone from the store, and its saver does not know"
      }
      guard object.managedObjectContext != nil else {
        return "\(object.objectID) is stored, and its saver has let it go"
      }
      let (mine, theirs) = (
        object.committedValues(forKeys: nil), stored.committedValues(forKeys: nil)
      )
      if mine != theirs { return "\(object.objectID) is \(mine), stored is \(theirs)" }
    }
    return nil
  }

  /// The inconsistent links in the view of a fresh context.
  private static func complaint(_ context: ManagedObjectContext) throws -> String? {
    let countries = Set(try context.fetch(Country.all))
    let cities = Set(try context.fetch(City.all))
    let languages = Set(try context.fetch(Language.all))
    let governments = Set(try context.fetch(Government.all))
    let ferries = Set(try context.fetch(Ferry.all))
    for country in countries {
      for other in country.neighbours
      where !countries.contains(other) || !other.neighbours.contains(country) {
        return "\(country.objectID) is beside \(other.objectID)"
      }
      for language in country.languages
      where !languages.contains(language) || !language.countries.contains(country) {
        return "\(country.objectID) speaks \(language.objectID)"
      }
      for city in country.cities where !cities.contains(city) {
        return "\(country.objectID) has \(city.objectID)"
      }
      guard let government = country.government else { continue }
      if !governments.contains(government) || government.country !== country {
        return "\(country.objectID) is governed by \(government.objectID)"
      }
    }
    for language in languages {
      for country in language.countries
      where !countries.contains(country) || !country.languages.contains(language) {
        return "\(language.objectID) in \(country.objectID)"
      }
    }
    for city in cities {
      guard let country = city.country else { continue }
      if !countries.contains(country) { return "\(city.objectID) in \(country.objectID)" }
    }
    for government in governments {
      guard let country = government.country else { continue }
      if !countries.contains(country) || country.government !== government {
        return "\(government.objectID) governs \(country.objectID)"
      }
    }
    for route in try context.fetch(Route.all) {
      if let city = route.start, !cities.contains(city) {
        return "\(route.objectID) from \(city.objectID)"
      }
      for ferry in route.ferries where !ferries.contains(ferry) {
        return "\(route.objectID) with \(ferry.objectID)"
      }
      for city in route.stops where !cities.contains(city) {
        return "\(route.objectID) by \(city.objectID)"
      }
    }
    for ferry in ferries {
      if let port = ferry.port, !cities.contains(port) {
        return "\(ferry.objectID) to \(port.objectID)"
      }
    }
    return nil
  }
}

@Suite struct `Roots that link and delete without knowing of each other` {
  @Test func `leave no link without both its ends, whatever the merge policies`() async {
    let failure = await ModelTest(
      "integrity", sequences: 12, steps: 150, meets: ["saved": 1], make: IntegrityWorld.init
    ).firstFailure()
    #expect(failure == nil)
  }
}
