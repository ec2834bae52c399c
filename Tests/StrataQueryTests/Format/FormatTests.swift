// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
import StrataQuery
import StrataRecord
import StrataTestSupport
import Testing

@Suite struct `A format string` {
  private func resolve(_ format: String, _ arguments: Any?...) throws -> String {
    let world = try World()
    let predicate = try FetchPredicate(format: format, argumentArray: arguments)
    return try predicate.node
      .resolved(by: PathResolver(schema: world.schema, entity: world.city)).description
  }

  private func error(_ format: String, _ arguments: Any?...) -> PredicateFormatError? {
    do throws(PredicateFormatError) {
      _ = try FetchPredicate(format: format, argumentArray: arguments)
      return nil
    } catch {
      return error
    }
  }

  // MARK: - Meaning

  @Test func `becomes the same conditions as key paths do, so that indexes serve it`() throws {
    let world = try World()
    let request = FetchRequest<City>(
      try FetchPredicate(format: "name == 'Bam' AND population BETWEEN {1, 9}"))
    #expect(
      try QueryPlan(request, entity: world.city, schema: world.schema).description
        == "City: index on name (values) and index on population (range)")
    let like = FetchRequest<City>(try FetchPredicate(format: "name LIKE 'Ba?*'"))
    #expect(
      try QueryPlan(like, entity: world.city, schema: world.schema).description
        == "City: index on name (prefix); filter: name like")
    let flipped = FetchRequest<City>(try FetchPredicate(format: "5 < population"))
    #expect(
      try QueryPlan(flipped, entity: world.city, schema: world.schema).description
        == "City: index on population (open range)")
  }

  @Test(arguments: [
    ("name = 'a'", "name =="), ("name != 'a'", "!(name ==)"), ("name <> 'a'", "!(name ==)"),
    ("population =< 3", "population <="), ("population => 3", "population >="),
    ("name ==[c] 'a'", "name ==[c]"), ("name >[dc] 'a'", "name >[cd]"),
    ("name IN {'a', 'b'}", "name in"),
    ("population in {1, 2.5}", "(population == || population == a number)"),
    ("name contains[CD] 'a'", "name infix[cd]"), ("name Matches 'a+'", "name matches"),
    ("NOT name = 'a' || rank = 1 && rank = 2", "(!(name ==) || rank == && rank ==)"),
    ("!(rank = 1)", "!(rank ==)"), ("TRUEPREDICATE", "true"), ("falsePredicate", "false"),
    ("FALSEPREDICATE || TRUEPREDICATE", "true"), ("TRUEPREDICATE || FALSEPREDICATE", "true"),
    ("FALSEPREDICATE || FALSEPREDICATE", "false"), ("TRUEPREDICATE && FALSEPREDICATE", "false"),
    ("FALSEPREDICATE || rank = 1 || TRUEPREDICATE", "true"),
    ("country.name == nil", "country.name == nil"), ("isWalled == yes", "isWalled =="),
    ("rank + 1 * 2 > population - -1", "(rank + a number) > (population - a number)"),
    ("(rank + 1) * 2 ** 3 ** 2 > 0", "((rank + a number) * a number) > a number"),
    ("country.cities.@count > 3", "country.cities.count > a number"),
    ("country.cities.@avg.population > 3", "country.cities.avg(population) > a number"),
    ("ANY twins.name = 'a'", "any twins(name ==)"),
    ("NONE twins.name = 'a'", "!(any twins(name ==))"),
    ("ALL twins.name = 'a'", "!(any twins(!(name ==)))"),
    ("ANY twins.twins.rank = 1", "any twins(any twins(rank ==))"),
    ("SUBQUERY(twins, $x, $x.rank = rank).@count = 0", "twins{rank == rank}.count == a number"),
    ("#country.#name = 'a'", "country.name =="), ("SELF.name = 'a'", "name =="),
    ("0x1F = rank", "rank =="), ("rank < .5e1", "rank < a number"),
    ("elevation < nil", "false"), ("'a' IN name", "name infix"),
  ])
  func `means`(format: String, meaning: String) throws {
    #expect(try resolve(format) == meaning)
  }

  @Test func `takes arguments`() throws {
    #expect(try resolve("%K == %@", "country.name", "Iran") == "country.name ==")
    #expect(try resolve("name IN %@ AND rank == %d", ["a", "b"], 3) == "name in && rank ==")
    #expect(try resolve("kind == %@ OR kind == %@", Kind.port, nil) == "(kind == || kind == nil)")
    #expect(try resolve("population BETWEEN %@", [1, 9]) == "population >= && population <=")
    #expect(
      try resolve("country.%K.@sum.%K > %lld", "cities", "rank", 1)
        == "country.cities.sum(rank) > a number")
  }

  @Test(arguments: [
    "Bam' OR TRUEPREDICATE OR name == '", "Bam\" OR 1 == 1 OR name == \"", "%@", "%K", "$name",
    "Bam\\' OR TRUEPREDICATE", "nickname", "SELF", "nil", "'", "Bam\u{0}' OR TRUEPREDICATE",
  ])
  func `takes an argument for a value, whatever it says`(text: String) throws {
    let world = try World()
    let key = world.newKey(world.city)
    world.put(CityValue(name: text), at: key)
    for name in ["Bam", "", nil] {
      world.put(CityValue(name: name), at: world.newKey(world.city))
    }
    world.save()
    let template = try FetchPredicate(format: "name == $name")
    for predicate in [
      try FetchPredicate(format: "name == %@", text),
      try FetchPredicate(format: "name IN %@", [text]),
      try template.withSubstitutionVariables(["name": text]),
    ] {
      let plan = try QueryPlan(
        FetchRequest<City>(predicate), entity: world.city, schema: world.schema)
      #expect(try plan.fetch(in: world.view().view).map(\.key) == [key])
    }
  }

  @Test(arguments: [
    "name == 'a' OR TRUEPREDICATE", "name == '' OR name", "#name", "twins.@count", "SELF", "%K",
    "$x", "name)", "",
  ])
  func `takes an argument of a key path for names of properties, whatever it says`(
    text: String
  ) {
    #expect {
      try resolve("%K == 'a'", text)
    } throws: {
      $0 is QueryError || $0 is PredicateFormatError
    }
  }

  @Test func `keeps quoted text as it is`() throws {
    let world = try World()
    let name = "%@ 'and' \"or\" \\ \u{301}$x\n"
    world.put(CityValue(name: name), at: world.newKey(world.city))
    world.save()
    let predicate = try FetchPredicate(
      format: #"name == "%@ 'and' \"or\" \\ "# + "\u{301}" + #"\u0024x\n""#)
    let plan = try QueryPlan(
      FetchRequest<City>(predicate), entity: world.city, schema: world.schema)
    #expect(try plan.count(in: world.view().view) == 1)
  }

  @Test func `takes values for its variables later, some at a time`() throws {
    let template = try FetchPredicate(
      format: "name BEGINSWITH $a AND SUBQUERY(twins, $x, $x.rank IN $b).@count > $c")
    let world = try World()
    let resolver = PathResolver(schema: world.schema, entity: world.city)
    #expect(throws: QueryError.unboundVariable("$a")) { try template.node.resolved(by: resolver) }
    let part = try template.withSubstitutionVariables(["a": "B", "unused": 1])
    #expect(throws: QueryError.unboundVariable("$b")) { try part.node.resolved(by: resolver) }
    let whole = try part.withSubstitutionVariables(["b": [1, 2], "c": 0])
    #expect(
      try whole.node.resolved(by: resolver).description
        == "name prefix && twins{rank in}.count > a number")
    #expect(throws: QueryError.unsupportedValue(type: "Array<EntityDescription>")) {
      try template.withSubstitutionVariables(["a": [Atlas.city]])
    }
  }

  // MARK: - Mistakes

  @Test(arguments: [
    ("", 0, "the end", "a value"),
    ("name", 4, "the end", "an operator"),
    ("name ==", 7, "the end", "a value"),
    ("name == 'Bam", 12, "the end", "a closing quotation mark"),
    ("name == \"a\\q\"", 11, "a character", "one of \\ \" ' n r t 0 u after a backslash"),
    ("é == 1 AND", 10, "the end", "a value"),
    ("name ~ 3", 5, "“~”", "a condition"),
    ("(rank = 1", 9, "the end", "“)”"),
    ("rank = 1)", 8, "“)”", "an operator or the end"),
    ("rank = 1 rank = 2", 9, "“rank”", "an operator or the end"),
    ("rank BETWEEN {1}", 13, "“{”", "a list of two bounds"),
    ("rank IN {1, 2", 13, "the end", "“,” or “}”"),
    ("name LIKE[x] 'a'", 10, "“x”", "c, d or cd"),
    ("rank = 12a", 7, "digits that are not a number", "a number"),
    ("any = 1", 4, "“=”", "a value"),
    ("twins.@size = 1", 6, "“@size”", "“@count”, “@sum”, “@min”, “@max” or “@avg”"),
    ("twins.@sum = 1", 11, "“=”", "“.”"),
    ("SUBQUERY(twins, x, 1 = 1).@count = 0", 16, "“x”", "a variable: “$x”"),
    ("SUBQUERY(twins, $x, $x.rank = 1) = 0", 33, "“=”", "“.”"),
    ("$x.name = 1", 2, "“.”", "an operator: only a variable of a SUBQUERY has properties"),
    ("rank = 1 + (rank = 2)", 11, "a condition", "a value"),
    ("(rank = 1) + 2 = 3", 11, "“+”", "AND, OR or the end"),
    ("rank = %@", 7, "no argument for this placeholder", "more than 0 arguments"),
    ("country. = 1", 9, "“=”", "the name of a property"),
    ("% = 1", 1, "“ ”", "@, K, d, f or another letter of an argument"),
  ])
  func `that is wrong says where`(
    format: String, position: Int, found: String, expected: String
  ) {
    let mistake = error(format)
    #expect(mistake?.position == position)
    #expect(mistake?.found == found)
    #expect(mistake?.expected == expected)
  }

  @Test func `with the wrong arguments says where`() {
    #expect(error("rank = 1", 5)?.found == "0 placeholders for 1 arguments")
    #expect(error("rank = %d", "x")?.expected == "a number for %d")
    #expect(error("%K = 1", 5)?.found == "an argument that is not a text")
    #expect(error("rank = %@", Atlas.city)?.found == "an argument of type EntityDescription")
  }

  @Test func `that is wrong is not shown with its texts`() {
    #expect(error("name = 'a\\u12_4'")?.found == "a character")
    #expect(error("name = 'a\\u12")?.found == "the end")
    let word = String(repeating: "x", count: 40)
    #expect(error("rank = 1 \(word)")?.found == "“\(word.prefix(32))…”")
    #expect(error("rank = 1 #\(word)")?.found == "“#\(word.prefix(31))…”")
  }

  @Test func `nested without end is refused`() {
    for (open, close) in [("(", ")"), ("NOT ", ""), ("-", ""), ("{", "}"), ("1 ** ", "")] {
      let deep =
        String(repeating: open, count: 10_000) + "1" + String(repeating: close, count: 10_000)
      #expect(error(deep + " = 1")?.expected.hasPrefix("at most") == true, "\(open)")
    }
    let sum = String(repeating: "1 + ", count: 10_000) + "1 = 1"
    #expect(error(sum)?.expected.hasPrefix("at most") == true)
    var calculation = "rank"
    for _ in 0..<4 { calculation = "(" + calculation + String(repeating: " * 1", count: 40) + ")" }
    #expect(error(calculation + " = 1")?.expected.hasPrefix("at most") == true)
    let path = Array(repeating: "twins", count: 10_000).joined(separator: ".")
    #expect(error("ANY \(path).rank = 1")?.expected.hasPrefix("at most") == true)
    #expect(error("ANY %K = 1", path)?.expected.hasPrefix("at most") == true)
    var deepest = "rank = 1"
    for _ in 0..<8 { deepest = "SUBQUERY(twins, $x, (NOT \(deepest))).@count = 1" }
    #expect(error(deepest) == nil)
  }

  @Test func `may have 64 levels of nesting, of which a bracket is two`() {
    /// A constant is at the first level.
    func nested(_ brackets: Int, _ negations: Int) -> String? {
      let format =
        String(repeating: "(", count: brackets) + String(repeating: "NOT ", count: negations)
        + "TRUEPREDICATE" + String(repeating: ")", count: brackets)
      return error(format)?.expected
    }
    for (brackets, negations) in [(0, 63), (31, 1), (20, 23)] {
      #expect(nested(brackets, negations) == nil)
      #expect(nested(brackets, negations + 1) == "at most 64 levels of nesting")
    }
  }

  @Test func `may have 128 operators in a calculation`() throws {
    let most = "rank" + String(repeating: " + 1", count: 128)
    #expect(try resolve(most + " = 1").hasSuffix("== a number"))
    #expect(error(most + " + 1 = 1")?.expected == "at most 128 operators in a calculation")
  }

  @Test func `may have a chain of any length`() throws {
    let chain = Array(repeating: "rank > 1", count: 10_000)
    #expect(error(Array(repeating: "rank + 1 = 1", count: 500).joined(separator: " OR ")) == nil)
    #expect(try resolve(chain.joined(separator: " OR ")).hasPrefix("(rank > || rank >"))
    #expect(try resolve(chain.joined(separator: " && ")).hasPrefix("rank > && rank >"))
  }

  /// A thread of Darwin has 512 KiB.
  @Test func `as deep as it may be is parsed and resolved on a small stack`() async throws {
    let failure: String? = await withCheckedContinuation { continuation in
      let thread = Thread {
        do {
          var format = "rank = 1"
          while let deeper = Optional("(NOT (\(format)))"), error(deeper) == nil { format = deeper }
          _ = try resolve(format)
          var calculation = "rank"
          while let longer = Optional("(\(calculation) + 1)"), error(longer + " = 1") == nil {
            calculation = longer
          }
          while let longer = Optional(calculation + " + 1"), error(longer + " = 1") == nil {
            calculation = longer
          }
          _ = try resolve(calculation + " = 1")
          continuation.resume(returning: format.count > 100 ? nil : format)
        } catch {
          continuation.resume(returning: "\(error)")
        }
      }
      thread.stackSize = 512 << 10
      thread.start()
    }
    #expect(failure == nil)
  }

  // MARK: - Against the model

  @Test func `is held against the entity when it is planned`() throws {
    #expect(throws: QueryError.unknownProperty(entity: "City", keyPath: "size")) {
      try resolve("size = 1")
    }
    #expect(throws: QueryError.unknownProperty(entity: "Country", keyPath: "size")) {
      try resolve("ANY twins.country.size = 1")
    }
    #expect(throws: QueryError.toManyProperty(entity: "City", property: "twins")) {
      try resolve("twins.name = 'a'")
    }
    #expect(throws: QueryError.unfitProperty(entity: "City", property: "country")) {
      try resolve("country.@count = 1")
    }
    #expect(throws: QueryError.mismatchedType(entity: "City", property: "rank", type: .int16)) {
      try resolve("rank = 'a'")
    }
    #expect(throws: QueryError.mismatchedOperands(left: "name", right: "rank")) {
      try resolve("name = rank")
    }
    #expect(throws: QueryError.mismatchedOperands(left: "a number", right: "name")) {
      try resolve("name + 1 = 2")
    }
    #expect(throws: QueryError.mismatchedOperands(left: "a to-many relationship", right: "rank")) {
      try resolve("ANY rank = 1")
    }
    #expect(throws: QueryError.transientProperty(entity: "City", property: "note")) {
      try resolve("note = 'a'")
    }
  }

  @Test func `with a pattern that is no regular expression says why`() throws {
    for pattern in ["(", "a)", "[", "*", "a{2,1}", "\\\\"] {
      let error = #expect(throws: QueryError.self) { try resolve("name MATCHES '\(pattern)'") }
      guard case .invalidPattern(let reason)? = error else {
        Issue.record("\(pattern) gave \(String(describing: error))")
        continue
      }
      #expect(!reason.isEmpty)
    }
  }
}
