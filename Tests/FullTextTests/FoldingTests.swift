// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataRecord
import StrataTestSupport
import Testing

/// A text in each way in which a fetch can look for it: with an index and without one.
@Entity private final class Note: ManagedObject {
  var number: Int = 0
  @Attribute(.fullText) var text: String = ""
  /// The same text, whose words have no index.
  var copy: String = ""
  @Attribute(.derived(.canonical("text")), .indexed) var plain: String
  @Attribute(.derived(.canonical("text"))) var plainCopy: String
}

private let both: TextOptions = [.caseInsensitive, .diacriticInsensitive]

/// Texts whose folding is not obvious, in four forms each: some are one word, some are several.
private let texts: [String] = {
  let awkward = [
    "ẞ", "ß", "ss", "Straße", "STRAẞE", "strasse", "Masse", "Maße", "MAẞE", "σοφός", "ΣΟΦΟΣ",
    "σοφος", "σοφοσ", "ς", "Σ", "ﬁsh", "fish", "ﬀ", "ff", "ﬃ", "ﬅ", "ŉ", "ʼn", "'n", "ǰ", "j",
    "ᾳ", "ᾼ", "α", "αι", "ᾍδης", "ΐ", "ΰ", "ὐ", "İ", "I", "ı", "i", "i\u{307}", "İstanbul",
    "Istanbul", "ısı", "がく", "かく", "ガク", "カク", "か", "が", "पुल", "पल", "कि", "क", "क्", "คุ",
    "한국", "가", "\u{1100}\u{1161}", "שָׁלוֹם", "שלום", "كِتَاب", "كتاب", "Zürich", "Zurich",
    "Å", "\u{212B}", "a\u{30A}", "K", "\u{212A}", "ø", "o", "ł", "đ", "ſ", "s", "ẛ", "ẚ", "aʾ",
    "և", "եւ", "ﬓ", "մն", "Ꭰ", "ꭰ", "ᲀ", "В", "в", "ǆ", "ǅ", "Ⓐ", "ⅷ", "𐐀", "𐐨",
    "q\u{323}\u{307}", "q\u{307}\u{323}", "can’t", "can't",
  ]
  precondition(awkward.count == 96)
  return awkward.flatMap {
    [$0, $0.uppercased(), $0.decomposedStringWithCanonicalMapping, $0.lowercased() + " " + $0]
  }
}()

/// A folded text as numbers, one for each character: equal characters have equal numbers.
private struct Characters {
  private var numbers: [Character: Int] = [:]

  mutating func numbers(of text: String) -> [Int] {
    text.map { character in
      if let known = numbers[character] { return known }
      numbers[character] = numbers.count
      return numbers.count - 1
    }
  }

  static func contains(_ text: [Int], _ part: [Int]) -> Bool {
    part.count <= text.count
      && (0...(text.count - part.count)).contains { text[$0...].starts(with: part) }
  }
}

@Suite struct `A text, folded in one way` {
  private static func filled() throws -> PersistentContainer {
    let container = try PersistentContainer(inMemory: ManagedObjectModel(Note.self))
    try container.root.performAndWait { context in
      for (number, text) in texts.enumerated() {
        let note = Note(context: context)
        (note.number, note.text, note.copy) = (number, text, text)
      }
      try context.save()
    }
    return container
  }

  @Test(arguments: 0..<8)
  func `is found by each search for an equal text, prefix or part, with and without an index`(
    part: Int
  ) throws {
    var characters = Characters()
    let folded = texts.map { characters.numbers(of: both.folded($0)) }
    let words = texts.map { text in
      text.utf8.withContiguousStorageIfAvailable {
        FoldedWords.count(in: UnsafeRawBufferPointer($0))
      } ?? 0
    }
    try Self.filled().root.performAndWait { context in
      func numbers(_ request: FetchRequest<Note>) throws -> [Int] {
        try context.fetch(request).map(\.number).sorted()
      }
      for query in stride(from: part, to: texts.count, by: 8) {
        let (text, plain, wanted) = (texts[query], both.folded(texts[query]), folded[query])
        let equal = texts.indices.filter { folded[$0] == wanted }
        let beginning = texts.indices.filter { folded[$0].starts(with: wanted) }
        let containing = texts.indices.filter { Characters.contains(folded[$0], wanted) }
        for (way, request, expected) in [
          ("==", Note.where { $0.text.isEqual(to: text, options: both) }, equal),
          ("prefix", Note.where { $0.text.hasPrefix(text, options: both) }, beginning),
          ("contains", Note.where { $0.text.contains(text, options: both) }, containing),
          ("canonical ==", Note.where { $0.plain == plain }, equal),
          ("canonical prefix", Note.where { $0.plain.hasPrefix(plain) }, beginning),
          ("canonical contains", Note.where { $0.plain.contains(plain) }, containing),
          ("canonical == without index", Note.where { $0.plainCopy == plain }, equal),
          (
            "canonical prefix without index", Note.where { $0.plainCopy.hasPrefix(plain) },
            beginning
          ),
        ] {
          let found = try numbers(request)
          #expect(found == expected, "\(way) \(text)")
        }
        guard words[query] > 0 else { continue }
        let found = try numbers(Note.where { $0.text.contains(words: text) })
        // Not within the macro: two closures of this function would get one name, and one body.
        let scanned = try numbers(Note.where { $0.copy.contains(words: text) })
        #expect(scanned == found, "words \(text)")
        guard words[query] == 1, !text.contains(where: { $0.isPunctuation }) else { continue }
        let single = texts.indices.filter {
          words[$0] == 1 && !texts[$0].contains(where: { $0.isPunctuation })
        }
        #expect(
          found.filter(single.contains) == single.filter(equal.contains), "words \(text)")
      }
    }
  }

  @Test func `is what a program gets from the options, and the derived text`() throws {
    for (one, two) in [
      ("STRAẞE", "strasse"), ("ΣΟΦΟΣ", "σοφος"), ("ﬁsh", "FISH"), ("ŉ", "ʼN"),
      ("Lavāsān", "lavasan"),
    ] {
      #expect(both.folded(one) == both.folded(two), "\(one) \(two)")
    }
    #expect(both.folded("がく") != both.folded("かく") && both.folded("पुल") != both.folded("पल"))
    try Self.filled().root.performAndWait { context in
      for note in try context.fetch(Note.all) {
        #expect(note.plain == both.folded(note.text), "\(note.text)")
      }
    }
  }
}
