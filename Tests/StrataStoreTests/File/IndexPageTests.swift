// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataModel
import StrataRecord
import StrataStore
import StrataTestSupport
import Testing

/// In a damaged page LMDB may find anything: nothing where there is much, or the wrong neighbours.
@Suite struct `An index with a damaged page` {
  private class Thing {}

  private static let word = EntityDescription(
    "Word", class: Thing.self,
    properties: [
      .attribute(AttributeDescription("text", type: .string, options: [.indexed]))
    ])
  /// Its records fill the file behind the pages of the index.
  private static let page = EntityDescription(
    "Page", class: Thing.self,
    properties: [.attribute(AttributeDescription("content", type: .data))])

  private static let wordCount = 600

  /// The texts of the words have even numbers, so that others come between.
  private static func text(_ number: Int) -> String {
    "word \(100_000 + number) " + String(repeating: "x", count: 40)
  }

  /// A store of words and pages, and its file.
  private struct Opened {
    let folder: TemporaryDirectory
    let store: LMDBStore
    let path: String

    init() throws {
      folder = try TemporaryDirectory()
      path = folder.file("store").path
      store = try LMDBStore.open(
        at: path, model: ManagedObjectModel(entities: [word, page]), durability: .none)
      var words = Edit(store)
      for number in 1...wordCount { words.insert(word, ["text": .string(text(2 * number))]) }
      try words.save()
      var pages = Edit(store)
      for _ in 0..<200 {
        pages.insert(page, ["content": .data(Data(repeating: 7, count: 1_500))])
      }
      try pages.save()
    }

    func insert(_ number: Int) throws {
      var edit = Edit(store)
      edit.insert(word, ["text": .string(text(number))])
      try edit.save()
    }

    /// Writes into each page of a kind that has a key which contains `text`, former states of pages
    /// among them.
    func damage(
      _ kind: UInt16, with text: String, _ change: (inout RawPage) -> Void
    ) throws {
      var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
      var count = 0
      for start in stride(from: 0, to: bytes.count, by: RawPage.byteCount) {
        var page = RawPage(bytes: bytes, start: start)
        guard page.flags == kind, page.nodes.contains(where: { page.key($0).contains(text) })
        else { continue }
        change(&page)
        bytes = page.bytes
        count += 1
      }
      #expect(count > 0)
      let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
      try file.write(contentsOf: bytes)
      try file.close()
    }
  }

  /// A page as LMDB lays it out: number (8 bytes), pad (2), flags (2), the end of the offsets (2),
  /// the end of the free bytes (2), the offsets of the nodes (2 each). A node: 6 bytes, the length
  /// of its key (2), the key.
  private struct RawPage {
    static let byteCount = 4_096
    static let branch: UInt16 = 1
    static let leaf: UInt16 = 2

    var bytes: Data
    let start: Int

    subscript(offset: Int) -> UInt16 {
      get { UInt16(bytes[start + offset]) | UInt16(bytes[start + offset + 1]) << 8 }
      set {
        bytes[start + offset] = UInt8(truncatingIfNeeded: newValue)
        bytes[start + offset + 1] = UInt8(truncatingIfNeeded: newValue >> 8)
      }
    }

    var flags: UInt16 { self[10] & 0xF }

    /// Where the nodes begin.
    var nodes: [Int] {
      let end = Int(self[12])
      guard 16..<Self.byteCount ~= end else { return [] }
      return stride(from: 16, to: end, by: 2).map { Int(self[$0]) }.filter {
        $0 < Self.byteCount - 8
      }
    }

    func key(_ node: Int) -> String {
      let keyStart = start + node + 8
      let end = min(keyStart + Int(self[node + 6]), bytes.count)
      return String(decoding: bytes[keyStart..<max(keyStart, end)], as: UTF8.self)
    }
  }

  private func isDamage(_ error: any Error) -> Bool {
    if case StoreError.damaged(let tree, nil, _) = error { tree.hasPrefix("i") } else { false }
  }

  @Test func `takes no entry where it seems to end too early`() throws {
    let opened = try Opened()
    let last = Self.text(2 * Self.wordCount)
    try opened.damage(RawPage.leaf, with: last) { page in
      // The page has no entries. LMDB takes the offset of the last one from the position of number
      // 65,535.
      guard let node = page.nodes.last else { return }
      page[12] = 16
      page[16 + 2 * 65_535] = UInt16(node)
    }
    #expect { try opened.insert(2 * Self.wordCount - 1) } throws: { isDamage($0) }
    opened.store.close()
  }

  @Test func `takes no entry where its pages lead astray`() throws {
    let opened = try Opened()
    var between: Int?
    try opened.damage(RawPage.branch, with: "word ") { page in
      // All that is above the last page's first key is sought there, and from now on much more.
      guard let node = page.nodes.last else { return }
      let digits = page.key(node).drop { $0 != "w" }.dropFirst(5).prefix(6)
      between = Int(digits).map { $0 - 100_000 - 3 }
      page.bytes[page.start + node + 8 + 2] = 0x20
    }
    let number = try #require(between)
    #expect { try opened.insert(number | 1) } throws: { isDamage($0) }
    opened.store.close()
  }
}
