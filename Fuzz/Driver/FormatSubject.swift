// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
import StrataQuery
import StrataRecord
import StrataTestSupport

/// Format strings: any text at all is a predicate or an error at a place within it, and what is a
/// predicate is one of a small model's or an error again; never a trap.
enum FormatSubject: Subject {
  static let name = "format"

  static func probe(_ bytes: UnsafeRawBufferPointer) throws(Finding) {
    try probe(String(decoding: bytes, as: UTF8.self))
  }

  static func step(_ random: inout SeededGenerator) throws(Finding) {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: try probe(noise(&random))
    case 1: try probe(words(&random))
    default: try probe(mutated(sound.randomElement(using: &random) ?? "", &random))
    }
  }

  private static func probe(_ format: String) throws(Finding) {
    let arguments: [Any?] = [1, "name", [1, 2], nil]
    for count in [0, 1, 4] {
      do throws(PredicateFormatError) {
        resolve(
          try FetchPredicate(format: format, argumentArray: Array(arguments.prefix(count))))
      } catch {
        try require(
          error.position >= 0 && error.position <= format.count,
          "the error's place is outside of the string: \(error)")
        try require(!error.expected.isEmpty && !error.found.isEmpty, "the error says nothing")
      }
    }
  }

  // MARK: - A model

  private class Town {
    var name = ""
    var size = 0.0
    var population = 0
    var wealth = Decimal()
    var isOpen = false
    var towns: [Town] = []
    var owner: Town?
  }

  private static let town: EntityDescription = EntityDescription(
    "Town", class: Town.self,
    properties: [
      .attribute(AttributeDescription("name", keyPath: \Town.name, type: .string)),
      .attribute(AttributeDescription("size", keyPath: \Town.size, type: .double)),
      .attribute(AttributeDescription("population", keyPath: \Town.population, type: .int64)),
      .attribute(AttributeDescription("wealth", keyPath: \Town.wealth, type: .decimal)),
      .attribute(AttributeDescription("any", keyPath: \Town.isOpen, type: .bool)),
      .relationship(
        RelationshipDescription(
          "towns", keyPath: \Town.towns, kind: .toMany, destination: { town })),
      .relationship(
        RelationshipDescription(
          "owner", keyPath: \Town.owner, kind: .toOne, destination: { town })),
    ])

  private static let resolver: PathResolver? = {
    guard let model = try? ManagedObjectModel(entities: [town]) else { return nil }
    var numbers = SchemaNumbers()
    numbers.number(model)
    let schema = Schema(
      model: model, numbers: numbers, store: StoreIdentity(UUID()), version: 1)
    return schema.entity(for: Town.self).map { PathResolver(schema: schema, entity: $0) }
  }()

  private static func resolve(_ predicate: FetchPredicate) {
    guard let resolver else { preconditionFailure("the model of this subject is not sound") }
    _ = try? predicate.withSubstitutionVariables(["prefix": "B", "a": [1, 2]])
      .node.resolved(by: resolver).description
  }

  // MARK: - Texts

  private static let sound = [
    "ANY towns.population > %@ AND name BEGINSWITH[cd] $prefix",
    "SUBQUERY(towns, $x, $x.population > 5 && $x.name LIKE 'a*').@count >= 0x1F",
    "NOT (owner.name == \"x\\u0041\\n\" OR size BETWEEN {-1, 2.5e3}) || population IN $a",
    "owner.towns.@sum.size ** 2 - 1 <> (3 + wealth) / .5 and %K MATCHES '^(a|b)+$'",
    "((((TRUEPREDICATE))))", "'é' =< name", "NONE towns.name =[c] 'ß'", "#any == YES",
    "name MATCHES[cd] '(?i)[a-z&&[^b]]{2,3}\\\\p{L}(?=x)\\\\b.*?'", "ALL towns.towns.size < wealth",
    "population => 18446744073709551616", "wealth * 1e300 / 0.0 - -7 > towns.@avg.wealth",
    "towns CONTAINS owner || SELF == owner OR owner IN towns",
  ]

  private static let pieces = [
    "AND", "or", "NOT", "!", "ANY", "all", "(", ")", "{", "}", "[", "]", "c", "cd", ",", ".", "==",
    "<>", "=<", "IN", "BETWEEN", "LIKE", "'a'", "\"", "'", "\\", "%@", "%K", "%", "$x", "$", "#",
    "@count", "@", "SUBQUERY", "SELF", "nil", "1", "-", "+", "**", "/", "0x", "1e", "é", "\u{301}",
    "a", "name", "towns", "population", " ", "TRUEPREDICATE", "&&", "||", "😀", "\r\n",
  ]

  private static func noise(_ random: inout SeededGenerator) -> String {
    let bytes = (0..<Int.random(in: 0...60, using: &random)).map { _ in
      UInt8(truncatingIfNeeded: random.next())
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func words(_ random: inout SeededGenerator) -> String {
    let space = Bool.random(using: &random) ? " " : ""
    return (0..<Int.random(in: 0...40, using: &random))
      .map { _ in pieces.randomElement(using: &random) ?? "" }.joined(separator: space)
  }

  /// A sound string with pieces put in, taken out or repeated very often.
  private static func mutated(_ format: String, _ random: inout SeededGenerator) -> String {
    var scalars = Array(format.unicodeScalars)
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let index = Int.random(in: 0...scalars.count, using: &random)
      let piece = Array((pieces.randomElement(using: &random) ?? "").unicodeScalars)
      switch Int.random(in: 0..<8, using: &random) {
      case 0..<3: scalars.insert(contentsOf: piece, at: index)
      case 3..<6:
        let end = min(scalars.count, index + Int.random(in: 1...5, using: &random))
        scalars.removeSubrange(index..<end)
      case 6: scalars.append(contentsOf: scalars)
      default:
        let count = Int.random(in: 1...300, using: &random)
        scalars.insert(contentsOf: (0..<count).flatMap { _ in piece }, at: index)
      }
    }
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars)
    return String(view)
  }
}
