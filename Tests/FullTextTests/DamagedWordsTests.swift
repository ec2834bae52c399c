// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataLMDB
import StrataModel
import StrataStore
import StrataTestSupport
import Testing

/// The findings of the check of twenty saved articles, after `change` has changed the keys of their
/// index of words.
private func findings(
  _ change: @escaping @Sendable (inout [[UInt8]]) -> Void
) throws -> [String] {
  let folder = try TemporaryDirectory()
  let container = try library(in: folder)
  try container.root.performAndWait { context in
    for number in 0..<20 { context.article(number, "text\(number)") }
    try context.save()
  }
  let schema = container.coordinator.schema
  let entity = try #require(schema.entity(named: "Article"))
  let slot = try #require(entity.description.slot(named: "text"))
  let index = try #require(entity.wordIndex(at: slot))
  var options = EnvironmentOptions()
  options.durability = .none
  let environment = try Environment.open(
    at: folder.file("library.strata").path, options: options)
  let tree = try #require(try environment.tree(named: "i\(entity.number.rawValue)"))
  try environment.writeSync { transaction in
    var keys: [[UInt8]] = []
    let prefix = withUnsafeBytes(of: index.number.rawValue.bigEndian) { [UInt8]($0) }
    var cursor = try transaction.cursor(in: tree)
    var isThere = try prefix.withUnsafeBytes { try cursor.seek(atOrAbove: $0) }
    while isThere, cursor.key.starts(with: prefix) {
      keys.append([UInt8](cursor.key))
      isThere = try cursor.next()
    }
    var changed = keys
    change(&changed)
    for key in keys where !changed.contains(key) {
      try key.withUnsafeBytes { _ = try transaction.delete($0, in: tree) }
    }
    for key in changed where !keys.contains(key) {
      try key.withUnsafeBytes {
        try transaction.put($0, UnsafeRawBufferPointer(start: nil, count: 0), in: tree)
      }
    }
  }
  var findings: [String] = []
  var check = StoreCheck(
    try container.coordinator.snapshot(), progress: { _ in },
    report: { findings.append("\($0.place): \($0.problem)") })
  _ = check.run()
  return findings
}

@Suite struct `The check of a store` {
  @Test func `finds nothing wrong with the words of texts`() throws {
    #expect(try findings { _ in } == [])
  }

  @Test func `finds a word that is missing`() throws {
    let found = try findings { $0.removeLast() }
    #expect(found.count == 1 && found[0].contains("index of words of Article.text"))
  }

  @Test func `finds a word that the text does not have`() throws {
    let found = try findings { keys in
      var key = keys[keys.count - 1]
      key[2] = UInt8(ascii: "u")
      keys.append(key)
    }
    #expect(found.count == 1)
  }

  @Test func `finds a word in the place of another`() throws {
    let found = try findings { keys in
      keys[keys.count - 1][2] = UInt8(ascii: "u")
    }
    #expect(found.count == 1)
  }

  @Test func `finds words of an object that does not exist`() throws {
    let found = try findings { keys in
      var key = keys[keys.count - 1]
      key[key.count - 1] = 200
      keys.append(key)
    }
    #expect(found.count == 1 && found[0].contains("does not exist"))
  }
}
