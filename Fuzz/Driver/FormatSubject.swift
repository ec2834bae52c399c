// SPDX-License-Identifier: Apache-2.0
import StrataQuery
import StrataTestSupport

/// Format strings: any text at all is a predicate or an error at a place within it, never a trap.
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
        _ = try FetchPredicate(format: format, argumentArray: Array(arguments.prefix(count)))
      } catch {
        try require(
          error.position >= 0 && error.position <= format.count,
          "the error's place is outside of the string: \(error)")
        try require(!error.expected.isEmpty && !error.found.isEmpty, "the error says nothing")
      }
    }
  }

  private static let sound = [
    "ANY cities.population > %@ AND name BEGINSWITH[cd] $prefix",
    "SUBQUERY(cities, $x, $x.population > 5 && $x.name LIKE 'a*').@count >= 0x1F",
    "NOT (a.b == \"x\\u0041\\n\" OR c BETWEEN {-1, 2.5e3}) || SELF IN {$a, nil, YES}",
    "#any.@sum.size ** 2 - 1 <> (3 + b) / .5 and %K MATCHES '^(a|b)+$'",
    "((((TRUEPREDICATE))))", "'é' =< name", "NONE a.b =[c] 'ß'", "a => 18446744073709551616",
  ]

  private static let pieces = [
    "AND", "or", "NOT", "!", "ANY", "all", "(", ")", "{", "}", "[", "]", "c", "cd", ",", ".", "==",
    "<>", "=<", "IN", "BETWEEN", "LIKE", "'a'", "\"", "'", "\\", "%@", "%K", "%", "$x", "$", "#",
    "@count", "@", "SUBQUERY", "SELF", "nil", "1", "-", "+", "**", "/", "0x", "1e", "é", "\u{301}",
    "a", "name", " ", "TRUEPREDICATE", "&&", "||", "😀", "\r\n",
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
