// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

/// A text in each way in which a store keeps and compares one.
@Entity private final class Page: ManagedObject {
  var number: Int = 0
  @Attribute(.fullText, .indexed) var text: String = ""
  /// The same text without an index.
  var copy: String = ""
  @Attribute(.derived(.canonical("text"))) var plain: String
}

/// A long text, made of one piece over and over.
private struct LongText: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let piece: String
  let text: String

  /// `STRATA_LONG_TEXT_BYTES`, or 256 KiB: a time that grows with the square of it is seen.
  private static let byteCount =
    ProcessInfo.processInfo.environment["STRATA_LONG_TEXT_BYTES"].flatMap(Int.init) ?? 1 << 18

  init(_ name: String, _ piece: String) {
    testDescription = name
    self.piece = piece
    text = String(repeating: piece, count: Self.byteCount / piece.utf8.count)
  }

  /// Whether nothing of the piece is left without accents and points.
  var isFoldedAway: Bool {
    let options: TextOptions = [.caseInsensitive, .diacriticInsensitive]
    return options.folded("b" + piece) == "b"
  }

  /// Whether the text comes before the same text with one piece more, in NFC: marks of a lower
  /// class come first, whatever their number in Unicode.
  var isBeforeLonger: Bool {
    let (text, longer) = ("b" + piece + piece, "b" + piece + piece + piece)
    return text.precomposedStringWithCanonicalMapping.unicodeScalars
      .lexicographicallyPrecedes(longer.precomposedStringWithCanonicalMapping.unicodeScalars)
  }

  static let all = [
    LongText("marks in no order", "\u{301}\u{323}"),
    LongText("marks of one letter, in no order", "\u{5B0}\u{301}\u{323}\u{F73}\u{344}"),
    LongText("one word", "ab"),
    LongText("one word with accents", "é\u{323}ß"),
    LongText("one word of joiners", "x\u{200D}\u{AD}"),
    LongText("one word of letters and points", "a.1,2_"),
    LongText("jamo", "\u{1100}\u{1161}\u{11A8}"),
    LongText("leading jamo", "\u{1100}"),
    LongText("emoji", "👩‍👩‍👧‍👦"), LongText("flags", "🇩🇪"), LongText("Han", "東京"),
    LongText("kana with marks", "か\u{3099}"), LongText("Katakana", "カ"),
    LongText("Thai", "กำ"), LongText("controls", "\u{1}\u{7F}\u{85}"),
    LongText("line ends", "\r\n"), LongText("words", "one two "),
    LongText("quotation marks", "\"'’"), LongText("private use", "\u{E000}"),
  ]
}

// Each text is of a kind whose time once grew with the square of its length: a quarter of an hour
// for one of them.
@Suite struct `A long text` {
  @Test(arguments: LongText.all)
  private func `is saved, indexed, folded and found`(_ long: LongText) throws {
    let container = try PersistentContainer(inMemory: ManagedObjectModel(Page.self))
    let text = "b" + long.text
    let other = text + long.piece
    try container.root.performAndWait { context in
      for (number, text) in [text, other].enumerated() {
        let page = Page(context: context)
        (page.number, page.text, page.copy) = (number, text, text)
      }
      try check(context, long, text)
      try context.save()
      context.reset()
      try check(context, long, text)
      let folded = long.isFoldedAway ? [0, 1] : [0]
      #expect(try numbers(Page.where { $0.plain == both.folded(text) }, context) == folded)
      let order = long.isBeforeLonger ? [0, 1] : [1, 0]
      #expect(try context.fetch(Page.all.sorted(by: \.copy)).map(\.number) == order)
    }
  }

  private func check(
    _ context: ManagedObjectContext, _ long: LongText, _ text: String
  ) throws {
    let folded = long.isFoldedAway ? [0, 1] : [0]
    for (request, promised) in [
      (Page.where { $0.text == text }, [0]),
      (Page.where { $0.copy == text }, [0]),
      (Page.where { $0.text.isIn([text, "x"]) }, [0]),
      (Page.where { $0.copy.isIn([text, "x"]) }, [0]),
      (Page.where { $0.copy.isEqual(to: text, options: both) }, folded),
      (Page.where { $0.copy.hasPrefix("x") }, []),
      (Page.where { $0.copy.contains("xyz", options: both) }, []),
      (Page.where { $0.text.contains(words: "xyz") }, []),
      (Page.where { $0.copy.contains(words: "xyz") }, []),
    ] {
      let found = try numbers(request, context)
      #expect(found == promised)
    }
    if let query = try? WordQuery(text) { #expect(query.matches(text)) }
  }

  private func numbers(
    _ request: FetchRequest<Page>, _ context: ManagedObjectContext
  ) throws -> [Int] {
    try context.fetch(request).map(\.number).sorted()
  }

  private let both: TextOptions = [.caseInsensitive, .diacriticInsensitive]
}
