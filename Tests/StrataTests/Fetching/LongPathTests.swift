// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import Testing

/// A string of pearls: each leads to the next one.
@Entity private final class Pearl: ManagedObject {
  @Attribute var name: String
  var next: Pearl?
  @Relationship(inverse: \Pearl.next) var former: ToMany<Pearl>
}

@Suite struct `A path of 64 steps` {
  /// Fetches the names of the pearls that match, of 65 pearls on a string: "p0" … "p64".
  private func names(
    _ format: String, _ argument: @Sendable (ManagedObjectContext) throws -> Pearl? = { _ in nil }
  ) throws -> [String] {
    let container = try PersistentContainer(inMemory: ManagedObjectModel(Pearl.self))
    return try container.root.performAndWait { context in
      var last: Pearl?
      for number in (0..<65).reversed() {
        let pearl = Pearl(context: context)
        (pearl.name, pearl.next) = ("p\(number)", last)
        last = pearl
      }
      try context.save()
      let arguments: [Any?] = try argument(context).map { [$0.objectID] } ?? []
      let predicate = try FetchPredicate(format: format, argumentArray: arguments)
      return try context.fetch(FetchRequest<Pearl>(predicate).sorted(by: \.name)).map(\.name)
    }
  }

  private func path(_ step: String, _ count: Int, _ end: String...) -> String {
    (Array(repeating: step, count: count) + end).joined(separator: ".")
  }

  /// Before the 64th name there are 63 steps: from p0 and p1 they lead to p63 and p64.
  @Test(arguments: [
    "%@ CONTAINS '3'", "%@ CONTAINS[c] 'P63'", "%@ ENDSWITH '63'", "%@ BEGINSWITH 'p63'",
    "%@ = 'p63'", "%@ IN {'p63', 'q'}", "%@ LIKE '*63'", "%@ MATCHES '.63'", "'63' IN %@",
    "%@ BETWEEN {'p63', 'p63'}", "NOT (NOT %@ CONTAINS '63' OR %@ CONTAINS '4')",
  ])
  func `to one object each has an answer with each operator`(format: String) throws {
    #expect(try names(format.replacing("%@", with: path("next", 63, "name"))) == ["p0"])
  }

  @Test(arguments: ["ANY %@ CONTAINS '1'", "ANY %@ = 'p1'", "ANY %@ IN {'p1'}"])
  func `to many objects each has an answer while its levels are within the limit`(
    format: String
  ) throws {
    #expect(try names(format.replacing("%@", with: path("former", 62, "name"))) == ["p63"])
  }

  @Test func `to many objects each is refused with more levels than the limit`() throws {
    let object = { @Sendable (context: ManagedObjectContext) in
      try context.first(Pearl.where { $0.name == "p1" })
    }
    for format in ["%@ CONTAINS %K", "%K IN %@"] {
      let of62 = format.replacing("%@", with: path("former", 62)).replacing("%K", with: "%@")
      #expect(try names(of62, object) == ["p63"])
      let of64 = format.replacing("%@", with: path("former", 64)).replacing("%K", with: "%@")
      #expect(throws: QueryError.tooManyLevels(maximum: 256)) { try names(of64, object) }
    }
    // The levels around the path count.
    var nested = "ANY \(path("former", 62, "name")) = 'p1'"
    for level in 0..<8 { nested = "(\(nested) \(level % 2 == 0 ? "OR" : "AND") name = 'x')" }
    #expect(throws: QueryError.tooManyLevels(maximum: 256)) { try names(nested) }
  }
}
