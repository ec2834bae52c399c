// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataModel
import StrataRecord
import StrataTestSupport
import Testing

/// A city as a plain Swift value; nil for values that were never set.
struct CityValue: Equatable {
  var name: String?
  var nickname: String?
  var population: Int?
  var elevation: Double?
  var wealth: Decimal?
  var rank: Int16?
  var isWalled: Bool?
  var founded: Date?
  var kind: Kind?
  var code: UUID?
  var country: ObjectKey?

  /// As the property of the class reads.
  var nameRead: String { name ?? "" }
  var populationRead: Int { population ?? 0 }
  var isWalledRead: Bool { isWalled ?? false }
}

struct CountryValue: Equatable {
  var name: String?
  var motto: String?
}

/// Cities and countries in a store and in two contexts above it, and their state in the upper
/// context.
final class World {
  let schema: Schema
  let city: EntitySchema
  let capital: EntitySchema
  let country: EntitySchema
  private(set) var cities: [ObjectKey: CityValue] = [:]
  private(set) var countries: [ObjectKey: CountryValue] = [:]
  /// Of each city; a twin of a city has it as its own.
  private(set) var twins: [ObjectKey: Set<ObjectKey>] = [:]
  /// Of each country, in its order.
  private(set) var sights: [ObjectKey: [ObjectKey]] = [:]
  /// The changes not yet in a segment.
  private var changes: [ObjectKey: Change] = [:]
  private var segments: [Segment] = []
  private var saved: [ObjectKey: Record] = [:]
  private var linkChanges = LinkChanges()
  private var savedLinks: [LinkPlace: [ObjectKey: UInt64]] = [:]
  private var arena = RecordArena()
  private var serial: UInt64 = 0

  init() throws {
    let schema = try Atlas.schema()
    self.schema = schema
    city = try #require(schema.entity(for: City.self))
    capital = try #require(schema.entity(for: Capital.self))
    country = try #require(schema.entity(for: Country.self))
  }

  // MARK: - Changing

  func newKey(_ entity: EntitySchema) -> ObjectKey {
    serial += 1
    return ObjectKey(entity: entity.number, serial: serial)
  }

  func put(_ value: CityValue, at key: ObjectKey) {
    let entity = key.entity == capital.number ? capital : city
    put(encode(value, entity), at: key, isNew: cities[key] == nil)
    cities[key] = value
  }

  func put(_ value: CountryValue, at key: ObjectKey) {
    put(encode(value), at: key, isNew: countries[key] == nil)
    countries[key] = value
  }

  func delete(_ key: ObjectKey) {
    for twin in twins[key] ?? [] { setTwins(key, twin, false) }
    for country in sights.keys where sights[country]?.contains(key) == true {
      setSights((sights[country] ?? []).filter { $0 != key }, of: country)
    }
    setSights([], of: key)
    (twins[key], sights[key]) = (nil, nil)
    cities[key] = nil
    countries[key] = nil
    changes[key] = .delete(base: saved[key].map { Base(record: $0, generation: 1) })
  }

  private func put(_ record: Record, at key: ObjectKey, isNew: Bool) {
    if let base = saved[key] {
      changes[key] = .update(
        record, base: Base(record: base, generation: 1), slots: SlotSet())
    } else {
      changes[key] = .insert(record, slots: SlotSet())
    }
  }

  // MARK: - Links

  func setTwins(_ one: ObjectKey, _ two: ObjectKey, _ areTwins: Bool) {
    for (one, two) in [(one, two), (two, one)] {
      if areTwins { twins[one, default: []].insert(two) } else { twins[one]?.remove(two) }
      setLink("twins", of: city, one, two, areTwins ? .present(position: 0) : .absent)
    }
  }

  func setSights(_ targets: [ObjectKey], of key: ObjectKey) {
    for target in sights[key] ?? [] { setLink("sights", of: country, key, target, .absent) }
    sights[key] = targets
    for (index, target) in targets.enumerated() {
      setLink("sights", of: country, key, target, .present(position: UInt64(index + 1) * 10))
    }
  }

  private func setLink(
    _ name: String, of entity: EntitySchema, _ owner: ObjectKey, _ target: ObjectKey,
    _ state: LinkState
  ) {
    guard let slot = entity.description.slot(named: name),
      case .links(let number, let mirror) = entity.relationships[slot]?.storage
    else { return }
    linkChanges.set(state, at: LinkPlace(number, owner), to: target)
    linkChanges.set(state, at: LinkPlace(mirror, target), to: owner)
  }

  /// Makes all changes so far part of the store.
  func save() {
    for (key, change) in changes { saved[key] = change.record }
    for (place, states) in linkChanges.byPlace {
      for (target, state) in states {
        if case .present(let position) = state {
          savedLinks[place, default: [:]][target] = position
        } else {
          savedLinks[place]?[target] = nil
        }
      }
    }
    changes = [:]
    linkChanges = LinkChanges()
  }

  /// Makes the changes since the last call a segment above those before.
  func endSegment() {
    segments.insert(Segment(changes: changes, links: linkChanges, schema: schema), at: 0)
    changes = [:]
    linkChanges = LinkChanges()
  }

  /// The view of the upper context: the newest `ownCount` segments are its own.
  func view(ownCount: Int = 1) -> (view: ReadView, store: MemorySnapshot) {
    let store = MemorySnapshot(saved, links: savedLinks, schema: schema)
    let view = ReadView(
      own: Overlay(Array(segments.prefix(ownCount))),
      inherited: Array(segments.dropFirst(ownCount)), snapshot: store, schema: schema)
    return (view, store)
  }

  // MARK: - Encoding

  private func encode(_ value: CityValue, _ entity: EntitySchema) -> Record {
    var drafts = DraftArena()
    let draft = Draft.make(entity.layout, base: nil, in: &drafts)
    func set(_ name: String, _ value: (some AttributeValue)?) {
      guard let value, let slot = entity.description.slot(named: name) else { return }
      draft.set(value, at: slot)
    }
    set("name", value.name)
    set("nickname", value.nickname)
    set("population", value.population)
    set("elevation", value.elevation)
    set("wealth", value.wealth)
    set("rank", value.rank)
    set("isWalled", value.isWalled)
    set("founded", value.founded)
    set("kind", value.kind?.rawValue)
    set("code", value.code)
    if let slot = entity.description.slot(named: "country") {
      draft.setToOne(value.country, at: slot)
    }
    return draft.encode(into: &arena)
  }

  private func encode(_ value: CountryValue) -> Record {
    var drafts = DraftArena()
    let draft = Draft.make(country.layout, base: nil, in: &drafts)
    if let name = value.name { draft.set(name, at: 0) }
    if let motto = value.motto { draft.set(motto, at: 1) }
    return draft.encode(into: &arena)
  }

  func id(_ key: ObjectKey) -> ObjectID { ObjectID(store: schema.store, key: key) }

  /// The country that a city is in, if it still exists.
  func country(of city: CityValue) -> CountryValue? { city.country.flatMap { countries[$0] } }
}

// MARK: - Comparing

extension World {
  /// - Throws: a `ModelDifference` if the records of cities have other names than the cities.
  func expectNames(of rows: [(key: ObjectKey, record: StoredRecord?)]) throws {
    for (key, stored) in rows {
      guard let stored, let layout = schema.layout(of: key.entity) else {
        throw ModelDifference("\(key) has no record")
      }
      let name: String? = stored.record.value(at: 0, layout)
      try expectSame(name, cities[key]?.name, "the name of \(key)")
    }
  }
}

// MARK: - Random worlds

extension World {
  static let names = [
    "", "Bam", "bam", "Bamako", "Qom", "é", "e\u{301}", "e", "Zürich", "Zu\u{308}rich", "Zug",
    "Lavāsān", "Lavasan", "K", "\u{212A}", ";", "\u{37E}", "東京", "a\r\nb", "nul\u{0}byte",
    String(repeating: "a", count: 260) + "x", String(repeating: "a", count: 260) + "y",
    String(repeating: "a", count: 260), String(repeating: "é", count: 200) + "1",
    String(repeating: "e\u{301}", count: 200) + "2",
    // Whole in an index by themselves, cut behind another part.
    String(repeating: "b", count: 250) + "x", String(repeating: "b", count: 250) + "y",
  ]
  static let elevations: [Double] = [0, -0.0, 1.5, -3, .infinity, -.infinity, .nan, 1e300]

  static let wealths: [Decimal] = [0, 1.5, -3, .nan, .greatestFiniteMagnitude]

  /// Fills the store and `segmentCount` segments at random. The view is the upper context's, which
  /// owns half of the segments.
  static func random(
    _ random: inout ModelRandom, cityCount: Int, segmentCount: Int
  ) throws -> (world: World, view: ReadView) {
    var random = random.seeded()
    let world = try World()
    for index in 0..<6 {
      world.put(
        CountryValue(
          name: "\(names[index * 2 + 1])\(index)", motto: Bool.random(using: &random) ? "m" : nil),
        at: world.newKey(world.country))
    }
    for _ in 0..<cityCount {
      world.put(world.randomCity(&random), at: world.newKey(world.randomEntity(&random)))
    }
    for _ in 0..<(cityCount / 2) { world.changeLinks(&random) }
    world.save()
    for _ in 0..<segmentCount {
      for _ in 0..<(cityCount / 4) { world.changeSomething(&random) }
      world.endSegment()
    }
    return (world, world.view(ownCount: (segmentCount + 1) / 2).view)
  }

  private func changeSomething(_ random: inout SeededGenerator) {
    let old = cities.keys.sorted().randomElement(using: &random)
    if Int.random(in: 0..<3, using: &random) == 0 { changeLinks(&random) }
    switch Int.random(in: 0..<12, using: &random) {
    case 0..<4: put(randomCity(&random), at: newKey(randomEntity(&random)))
    case 4..<8: if let old { put(randomCity(&random), at: old) }
    case 8..<11: if let old { delete(old) }
    default:
      if let country = countries.keys.sorted().randomElement(using: &random), countries.count > 2 {
        delete(country)
      }
    }
  }

  private func changeLinks(_ random: inout SeededGenerator) {
    let keys = cities.keys.sorted()
    guard let one = keys.randomElement(using: &random), let two = keys.randomElement(using: &random)
    else { return }
    if one != two { setTwins(one, two, Int.random(in: 0..<4, using: &random) > 0) }
    guard let country = countries.keys.sorted().randomElement(using: &random) else { return }
    setSights(
      Array(keys.shuffled(using: &random).prefix(Int.random(in: 0...4, using: &random))),
      of: country)
  }

  private func randomEntity(_ random: inout SeededGenerator) -> EntitySchema {
    Int.random(in: 0..<4, using: &random) == 0 ? capital : city
  }

  func randomCity(_ random: inout SeededGenerator) -> CityValue {
    func maybe<T>(_ value: T) -> T? { Int.random(in: 0..<5, using: &random) == 0 ? nil : value }
    return CityValue(
      name: maybe(Self.names.randomElement(using: &random) ?? ""),
      nickname: maybe(Self.names.randomElement(using: &random) ?? ""),
      population: maybe(Int.random(in: -5...20, using: &random)),
      elevation: maybe(Self.elevations.randomElement(using: &random) ?? 0),
      wealth: maybe(Self.wealths.randomElement(using: &random) ?? 0),
      rank: maybe(Int16.random(in: -2...2, using: &random)),
      isWalled: maybe(Bool.random(using: &random)),
      founded: maybe(
        Date(timeIntervalSinceReferenceDate: Double(Int.random(in: -3...3, using: &random)))),
      kind: maybe(Kind.allCases.randomElement(using: &random) ?? .town),
      code: maybe(
        UUID(
          uuidString: "00000000-0000-0000-0000-00000000000"
            + "\(Int.random(in: 0...9, using: &random))")!
      ),
      country: maybe(countries.keys.sorted().randomElement(using: &random)).flatMap(\.self))
  }
}
