// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataLMDB
import StrataTestSupport
import Testing

/// A file whose content is changed at random, and copies of it, which are checked as a whole when
/// they are opened.
private final class Sealed {
  let scratch: ScratchEnvironment
  let environment: Environment
  static let names = ["a", "b", "c"]

  init() throws {
    scratch = try ScratchEnvironment()
    environment = try scratch.open()
    try environment.writeSync { transaction in
      for name in Self.names { _ = try transaction.makeTree(named: name) }
    }
  }

  /// Opens a copy of the file, or of changed bytes of it.
  func openCopy(_ change: (inout [UInt8]) -> Void = { _ in }) throws {
    var file = [UInt8](try Data(contentsOf: URL(fileURLWithPath: scratch.path)))
    change(&file)
    let copy = try ScratchEnvironment()
    try Data(file).write(to: URL(fileURLWithPath: copy.path))
    _ = try copy.open()
  }

  func put(_ count: Int, in name: String = "a") throws {
    try environment.writeSync { transaction in
      guard let tree = try transaction.tree(named: name) else { return }
      for number in 0..<count {
        try transaction.put("key \(number)", "value \(number)", in: tree)
      }
    }
  }
}

private func isDamage(_ flaws: PageFlaw...) -> (any Error) -> Bool {
  { error in
    if case LMDBError.damagedPage(_, let flaw) = error { flaws.contains(flaw) } else { false }
  }
}

@Suite struct `A file that is checked before it is opened` {
  @Test func `has the content that its commits have sealed, whatever they did`() throws {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    let file = try Sealed()
    for _ in 0..<60 {
      let steps = (0..<Int.random(in: 1...40, using: &random)).map { _ in
        Step.random(using: &random)
      }
      try file.environment.writeSync { transaction in
        for step in steps { try step.run(in: transaction) }
      }
      do {
        try file.openCopy()
      } catch {
        Issue.record("\(error) after \(steps), seed \(seed)")
        return
      }
    }
  }

  /// LMDB does not write pages that are free again at the end of their commit.
  @Test func `may be shorter than its header says`() throws {
    let file = try Sealed()
    for count in 1...4 { try file.put(count) }
    try file.environment.writeSync { transaction in
      guard let tree = try transaction.tree(named: "a") else { return }
      try transaction.put("long", String(repeating: "x", count: 1 << 20), in: tree)
      _ = try bytes(of: "long") { try transaction.delete($0, in: tree) }
    }
    try file.openCopy()
    try file.put(10)
    try file.openCopy()
  }

  @Test func `is refused with a value that was never saved`() throws {
    let file = try Sealed()
    try file.put(100)
    let value = Array("value 50".utf8)
    #expect {
      try file.openCopy { bytes in
        for place in bytes.indices where bytes[place...].starts(with: value) {
          bytes[place] ^= 1
        }
      }
    } throws: { isDamage(.seal)($0) }
  }

  @Test func `is refused with one page of an earlier commit`() throws {
    let file = try Sealed()
    try file.put(2_000)
    func change(to value: String) throws {
      try file.environment.writeSync { transaction in
        guard let tree = try transaction.tree(named: "a") else { return }
        for number in 0..<2_000 where number % 3 == 0 {
          try transaction.put("key \(number)", "\(value) \(number)", in: tree)
        }
      }
    }
    try change(to: "one")
    let former = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file.scratch.path)))
    // LMDB uses a page again after two commits.
    for value in ["two", "six", "ten"] { try change(to: value) }
    try file.openCopy()
    var refusedCount = 0
    for page in 2..<(former.count / 4_096) {
      let range = (page * 4_096)..<((page + 1) * 4_096)
      do {
        try file.openCopy { $0.replaceSubrange(range, with: former[range]) }
      } catch {
        refusedCount += 1
      }
    }
    // The other pages are not in use, or are the same.
    #expect(refusedCount > 3)
  }

  @Test func `is refused if its newer header has another number`() throws {
    let file = try Sealed()
    for count in 1...3 { try file.put(count) }
    let numberPlace = 16 + 128
    for bit in 0..<16 {
      for page in 0..<2 {
        #expect {
          try file.openCopy { $0[page * 4_096 + numberPlace + bit / 8] ^= 1 << (bit % 8) }
        } throws: { isDamage(.headers, .seal)($0) }
      }
    }
  }

  @Test func `is refused if its list of free pages names a page that is used`() throws {
    let file = try Sealed()
    for count in [500, 400, 300] { try file.put(count) }
    try file.environment.writeSync { transaction in
      if let tree = try transaction.tree(named: "a") { try transaction.clear(tree) }
    }
    try file.openCopy()
    var flaws: Set<String> = []
    for page in 2..<60 {
      do {
        try file.openCopy { bytes in
          // A leaf with number keys of eight bytes lists free pages.
          let start = page * 4_096
          guard start + 4_096 <= bytes.count, bytes[start + 10] == 2, bytes[start + 12] > 16 else {
            return
          }
          let node = start + Int(bytes[start + 16]) + Int(bytes[start + 17]) << 8
          guard bytes[node + 6] == 8, bytes[node + 8 + 1] == 0 else { return }
          bytes[node + 24] = 1
        }
      } catch LMDBError.damagedPage(_, let flaw) {
        flaws.insert("\(flaw)")
      }
    }
    #expect(flaws.contains("freePages"))
  }
}

/// One change of a transaction, by each of the ways to change an entry.
private enum Step {
  case put(tree: String, key: String, value: String)
  case delete(tree: String, key: String)
  case putSorted(tree: String, keys: [String], value: String)
  case fill(tree: String, keys: [String], byteCount: Int)
  case overwrite(tree: String, keys: [String], value: String)
  case edit(tree: String, key: String, value: String)
  case append(tree: String, key: String)
  case remove(tree: String, key: String)
  case clear(tree: String)
  case note(value: String)
  case makeTree

  static func random(using random: inout SeededGenerator) -> Step {
    func key() -> String { "key \(Int.random(in: 0..<60, using: &random))" }
    func keys() -> [String] { (0..<8).map { _ in key() }.sorted() }
    func value() -> String {
      let byteCount = [3, 3, 40, 40, 900, 9_000].randomElement(using: &random) ?? 3
      return String(repeating: "v", count: byteCount) + "\(Int.random(in: 0..<9, using: &random))"
    }
    let tree = Sealed.names.randomElement(using: &random) ?? "a"
    switch Int.random(in: 0..<12, using: &random) {
    case 0: return .delete(tree: tree, key: key())
    case 1: return .putSorted(tree: tree, keys: keys(), value: value())
    case 2:
      return .fill(tree: tree, keys: keys(), byteCount: .random(in: 1..<2_000, using: &random))
    case 3: return .overwrite(tree: tree, keys: keys(), value: value())
    case 4: return .edit(tree: tree, key: key(), value: value())
    case 5: return .append(tree: tree, key: "z\(Int.random(in: 0..<1_000, using: &random))")
    case 6: return .remove(tree: tree, key: key())
    case 7 where Int.random(in: 0..<6, using: &random) == 0: return .clear(tree: tree)
    case 8: return .note(value: value())
    case 9: return .makeTree
    default: return .put(tree: tree, key: key(), value: value())
    }
  }

  func run(in transaction: WriteTransaction) throws {
    func tree(_ name: String) throws -> Tree { try transaction.makeTree(named: name) }
    switch self {
    case .put(let name, let key, let value):
      try transaction.put(key, value, in: tree(name))
    case .delete(let name, let key):
      let tree = try tree(name)
      _ = try bytes(of: key) { try transaction.delete($0, in: tree) }
    case .putSorted(let name, let keys, let value):
      var cursor = try transaction.writeCursor(in: tree(name))
      for key in keys {
        try bytes(of: key) { key in try bytes(of: value) { try cursor.put(key, $0) } }
      }
    case .fill(let name, let keys, let byteCount):
      var cursor = try transaction.writeCursor(in: tree(name))
      for key in keys {
        try bytes(of: key) { key in
          try cursor.put(key, byteCount: byteCount) {
            $0.initializeMemory(as: UInt8.self, repeating: 7)
          }
        }
      }
    case .overwrite(let name, let keys, let value):
      var cursor = try transaction.writeCursor(in: tree(name))
      for key in keys {
        try bytes(of: key) { key in
          try bytes(of: value) { try cursor.overwrite(key, $0, isNext: true) }
        }
      }
    case .edit(let name, let key, let value):
      var cursor = try transaction.editCursor(in: tree(name))
      try bytes(of: key) { key in try bytes(of: value) { try cursor.put(key, $0) } }
    case .append(let name, let key):
      var cursor = try transaction.editCursor(in: tree(name))
      _ = try bytes(of: key) { key in try bytes(of: "appended") { try cursor.append(key, $0) } }
    case .remove(let name, let key):
      var cursor = try transaction.editCursor(in: tree(name))
      _ = try bytes(of: key) { try cursor.remove($0) }
    case .clear(let name): try transaction.clear(tree(name))
    case .note(let value):
      try bytes(of: String(value.prefix(200))) { try transaction.setNote("#note", to: $0) }
    case .makeTree: _ = try transaction.makeTree(named: "d")
    }
  }
}
