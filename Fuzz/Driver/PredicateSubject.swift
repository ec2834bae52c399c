// SPDX-License-Identifier: Apache-2.0
import Foundation
import Gazetteer
import Strata
import StrataTestSupport

/// Evaluation of predicates: a fetch finds the objects that a plain filter finds, in the same order,
/// in a context with saved and unsaved objects. The guide Fetching.md has the meaning of each form.
///
/// An input is a tree in prefix form (`RandomPredicate`), behind three bytes: the order, the offset
/// and the limit.
enum PredicateSubject: Subject {
  static let name = "predicate"
  static let weight = 10

  static func probe(_ bytes: UnsafeRawBufferPointer) throws(Finding) {
    guard bytes.count > 3 else { return }
    var reader = RandomPredicate.Reader(Array(bytes[3...]))
    let random = RandomPredicate(&reader, depth: 0)
    let (sortsByName, offset, limit) = (bytes[0] & 1 == 1, Int(bytes[1]) % 70, Int(bytes[2]) % 70)
    var expected = world.facts.filter(random.isTrue)
    if sortsByName {
      expected.sort { ($0.name, $0.code) < ($1.name, $1.code) }
    } else {
      expected.sort { $0.code < $1.code }
    }
    let count = expected.count
    let window = expected.dropFirst(offset).prefix(limit == 0 ? .max : limit).map(\.code)
    let (format, variables) = (random.format, reader.variables)
    let found: (count: Int, codes: [Int])
    do {
      let predicate = try FetchPredicate(format: format).withSubstitutionVariables(variables)
      found = try world.container.root.performAndWait { context in
        var request = FetchRequest<Town>(predicate)
        let count = try context.count(request)
        if sortsByName { request = request.sorted(by: \.name) }
        request = request.sorted(by: \.code).offset(offset)
        if limit > 0 { request = request.limit(limit) }
        return (count, try context.fetch(request).map(\.code))
      }
    } catch {
      throw Finding("\(format): \(error)")
    }
    try require(
      found.codes == window, "\(format): \(found.codes) were fetched, not \(window)")
    try require(found.count == count, "\(format): \(found.count) counted, not \(count)")
  }

  static func step(_ random: inout SeededGenerator) throws(Finding) {
    let count = Int.random(in: 8...80, using: &random)
    try probe(exactly: [UInt8](uniform: count, using: &random))
  }

  // MARK: - The objects

  /// A container whose root has unsaved changes, and the facts of its towns.
  private struct World: Sendable {
    let container: PersistentContainer
    let facts: [TownFact]

    init() throws {
      container = try PersistentContainer(inMemory: Gazetteer.model())
      try container.root.performAndWait { context in
        try Gazetteer.small.fill(context)
        for town in try context.fetch(Town.all) where town.code.isMultiple(of: 6) {
          (town.rank, town.name) = (2, "Tówn \(town.code)")
          (town.motto, town.height) = ("móttó", nil)
        }
        for town in try context.fetch(Town.where { $0.code == 13 }) { context.delete(town) }
        for code in 60..<65 { try Gazetteer.small.insertTown(code, into: context) }
        context.processPendingChanges()
      }
      facts = (0..<65).filter { $0 != 13 }.map(TownFact.init)
    }
  }

  private static let world = orTrap("no objects to fetch") { try World() }
}

/// The values of a town, by its code.
struct TownFact {
  let code: Int
  let name: String
  let rank: Int
  let area: Double
  let motto: String?
  let height: Int?
  let regionCode: Int
  let regionName: String
  let labels: [String]

  init(_ code: Int) {
    let isEdited = code.isMultiple(of: 6) && code < 60
    self.code = code
    name = isEdited ? "Tówn \(code)" : "town \(code * 7 % 60)"
    rank = isEdited ? 2 : code * 5 % 3
    area = Double(code) / 3
    motto = isEdited ? "móttó" : code.isMultiple(of: 3) ? nil : "motto \(code % 5)"
    height = isEdited || code.isMultiple(of: 4) ? nil : code % 7
    regionCode = code % 4
    regionName = "region \(code % 4 % 3)"
    labels = (0..<(code % 4)).map { "label \($0)" }
  }
}
