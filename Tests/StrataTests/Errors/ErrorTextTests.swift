// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import Testing

/// The texts of every public error, over the list of `ErrorSamples`.
@Suite struct `The texts of an error` {
  private let samples: ErrorSamples
  private static let sources = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().appendingPathComponent("../../../Sources").standardized

  init() throws {
    let container = try geography()
    let id = try container.root.performAndWait { context in
      let city = context.city("secret", population: 1)
      try context.save()
      city.name = "secret of ours"
      return city.objectID
    }
    try ContextQueue(parent: container.coordinator).performAndWait { context in
      let city = try context.existingObject(City.self, with: id)
      (city.name, city.population) = ("secret of theirs", 2)
      try context.save()
    }
    samples = try ErrorSamples(container, id)
  }

  /// The problem, the reason and the remedy.
  private func texts(of error: any Error) throws -> [String] {
    let error = try #require(error as? any LocalizedError, "\(type(of: error))")
    return try [error.errorDescription, error.failureReason, error.recoverySuggestion].map {
      try #require($0, "\(error)")
    }
  }

  @Test func `are a problem, a reason and a remedy, each in whole sentences`() throws {
    for error in samples.groups.flatMap(\.errors) {
      for text in try texts(of: error) {
        #expect(text.first?.isUppercase == true, "\(text)")
        #expect(text.last == ".", "\(text)")
        #expect(text.split(separator: " ").count > 1, "\(text)")
        #expect(!text.contains("..") || text.contains("..."), "\(text)")
        #expect(!text.contains("  ") && !text.contains("\n"), "\(text)")
      }
    }
  }

  @Test func `repeat nothing`() throws {
    for error in samples.groups.flatMap(\.errors) {
      let texts = try texts(of: error)
      #expect(Set(texts).count == 3, "\(error)")
      #expect(!texts[1].contains(texts[0]) && !texts[2].contains(texts[1]), "\(error)")
    }
  }

  @Test func `make up its description, and the problem is the localized one`() throws {
    for error in samples.groups.flatMap(\.errors) {
      let texts = try texts(of: error)
      #expect(String(describing: error) == texts.joined(separator: " "))
      #expect(error.localizedDescription == texts[0])
    }
  }

  @Test func `name the entity, the properties and other names that the error has`() throws {
    for error in samples.groups.flatMap(\.errors) {
      let names = strings(in: error).intersection([
        "Gizmo", "girth", "Gadget", "places", "/tmp/a.strata",
      ])
      for name in names { #expect("\(error)".contains(name), "\(name): \(error)") }
    }
    let conflict = "\(StoreError.conflicts([samples.conflict]))"
    #expect(conflict.contains("City \(samples.id)"))
    #expect(conflict.contains("this save sets name, and another save has set name and population"))
  }

  @Test func `show no values of objects`() throws {
    for error in samples.groups.flatMap(\.errors) {
      #expect(!"\(error)".contains("secret"), "\(error)")
      #expect(!String(reflecting: error).contains("secret"))
    }
    var dumped = ""
    dump(samples.conflict, to: &dumped)
    #expect(!dumped.contains("secret"))
    #expect(samples.conflict.ourValues?["name"] == .string("secret of ours"))
  }

  @Test func `contain no names of internal types`() throws {
    let names = try internalTypes()
    #expect(names.contains("RecordTree") && !names.contains("StoreError"))
    for error in samples.groups.flatMap(\.errors) {
      let words = Set("\(error)".split { !$0.isLetter && !$0.isNumber }.map(String.init))
      #expect(words.intersection(names).isEmpty, "\(error)")
    }
  }

  @Test func `are tested for each case of each public type`() throws {
    for group in samples.groups {
      guard let type = group.cases else { continue }
      let file = Self.sources.appendingPathComponent(group.file)
      let declared = try cases(of: type, in: String(contentsOf: file, encoding: .utf8))
      #expect(!declared.isEmpty, "\(group.file)")
      #expect(group.covered == declared, "\(group.type)")
    }
  }

  @Test func `are tested for each public type`() throws {
    let declared = try declarations().filter { $0.isPublic && $0.inherits.contains("Error") }
    #expect(Set(declared.map(\.name)) == Set(samples.groups.map(\.type)))
  }

  // MARK: - Reading errors and sources

  /// All strings in the values of a case.
  private func strings(in value: Any) -> Set<String> {
    if let text = value as? String { return [text] }
    if value is ObjectID { return [] }
    return Mirror(reflecting: value).children.reduce(into: []) {
      $0.formUnion(strings(in: $1.value))
    }
  }

  private struct Declaration {
    let name: String
    let isPublic: Bool
    /// The names that follow the colon.
    let inherits: Set<String>
  }

  /// The types that Sources declares, line by line.
  private func declarations() throws -> [Declaration] {
    let keywords: Set<Substring> = ["struct", "class", "enum", "actor", "protocol"]
    let modifiers: Set<Substring> = [
      "public", "open", "package", "private", "fileprivate", "final", "indirect", "nonisolated",
    ]
    let paths = FileManager.default.subpaths(atPath: Self.sources.path) ?? []
    var found: [Declaration] = []
    for path in paths where path.hasSuffix(".swift") {
      let file = Self.sources.appendingPathComponent(path)
      for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
        let words = line.split(separator: " ")
        guard let place = words.firstIndex(where: keywords.contains), place + 1 < words.count,
          words[..<place].allSatisfy({ modifiers.contains($0) || $0.hasPrefix("@") })
        else { continue }
        found.append(
          Declaration(
            name: String(words[place + 1].prefix { $0.isLetter || $0.isNumber }),
            isPublic: words[..<place].contains { $0 == "public" || $0 == "open" },
            inherits: words[place + 1].hasSuffix(":")
              ? Set(words[(place + 2)...].map { String($0.prefix(while: \.isLetter)) }) : []))
      }
    }
    return found
  }

  /// The names of two words or more that are declared, and nowhere public.
  private func internalTypes() throws -> Set<String> {
    let declarations = try declarations()
    let shown = Set(declarations.filter(\.isPublic).map(\.name))
    return Set(declarations.map(\.name)).subtracting(shown)
      .filter { $0.filter(\.isUppercase).count > 1 }
  }

  /// The names of the cases that an enum declares.
  private func cases(of type: String, in source: String) throws -> Set<String> {
    let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex { $0.contains("public enum \(type):") })
    let indent = String(lines[start].prefix { $0 == " " })
    let body = lines[(start + 1)...].prefix { $0 != "\(indent)}" }
    return Set(
      body.filter { $0.hasPrefix("\(indent)  case ") }.map { line in
        String(line.dropFirst(indent.count + 7).prefix { $0.isLetter })
      })
  }
}
