// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
import StrataRecord
import Testing

private struct Refusal: Error {}

/// A value that encodes itself unless it is `isLocked`.
private struct Box: Codable, Equatable {
  var isLocked = false

  func encode(to encoder: any Encoder) throws {
    if isLocked { throw Refusal() }
    var container = encoder.singleValueContainer()
    try container.encode(false)
  }

  init(isLocked: Bool) { self.isLocked = isLocked }
  init(from decoder: any Decoder) throws {}
}

/// Five texts and a Codable value, in records of at most 400 bytes. So a value has at most 100.
private let layout = RecordLayout(
  version: 1,
  slots: (0..<6).map {
    SlotDescription(
      number: PropertyNumber(rawValue: UInt16($0 + 1)),
      kind: .attribute($0 < 5 ? .string : .codable))
  }, byteCountMax: 400)

/// The refused slots, with the numbers of bytes that were too many.
private func refused(_ draft: Draft) -> [Int: Int] {
  (draft.refused ?? [:]).compactMapValues { refusal in
    if case .tooLarge(let byteCount, _) = refusal { byteCount } else { nil }
  }
}

private func text(_ byteCount: Int) -> String { String(repeating: "a", count: byteCount) }

@Suite struct `A draft that is given values of any size` {
  @Test(arguments: [0, 1, 99, 100])
  func `takes a value up to the largest one`(byteCount: Int) {
    layout.withDraft(of: nil) { draft in
      #expect(draft.set(text(byteCount), at: 0))
      #expect(draft.refused == nil)
      #expect(draft.value(at: 0) == text(byteCount))
    }
  }

  @Test(arguments: [101, 1_000])
  func `refuses a larger value, and keeps the one that it has`(byteCount: Int) {
    layout.withDraft(of: nil) { draft in
      draft.set("before", at: 0)
      #expect(!draft.set(text(byteCount), at: 0))
      #expect(refused(draft) == [0: byteCount])
      #expect(draft.value(at: 0) == "before")
      #expect(draft.changed == [0])
    }
  }

  @Test func `refuses a larger value of each type of variable length`() {
    let kinds: [AttributeType] = [.string, .data, .url, .codable]
    let layout = RecordLayout(
      version: 1,
      slots: kinds.enumerated().map {
        SlotDescription(
          number: PropertyNumber(rawValue: UInt16($0 + 1)), kind: .attribute($1))
      }, byteCountMax: 400)
    // As JSON a text has two quotation marks.
    func set(_ byteCount: Int, in draft: Draft) -> [Bool] {
      [
        draft.set(text(byteCount), at: 0), draft.set(Data(count: byteCount), at: 1),
        draft.set(URL(string: "a:" + text(byteCount - 2)), at: 2),
        draft.set(_CodableBox(text(byteCount - 2)), at: 3),
      ]
    }
    layout.withDraft(of: nil) { draft in
      #expect(set(80, in: draft) == [true, true, true, true])
      #expect(set(101, in: draft) == [false, false, false, false])
      #expect(refused(draft) == [0: 101, 1: 101, 2: 101, 3: 101])
      #expect(draft.value(at: 2) == URL(string: "a:" + text(78)))
      #expect((draft.value(at: 3) as _CodableBox<String>?)?.wrapped == text(78))
    }
  }

  @Test func `refuses a value that makes the record too large, in drafts of every kind`() {
    // The head is 3 bytes, and the ends of the values 24.
    let values = [text(100), text(100), text(100)].map { PropertyValue.string($0) }
    let base = makeRecord(values, layout)
    var arena = RecordArena()
    var drafts = DraftArena()
    let patch = Draft.make(patching: base, of: layout, in: &arena, &drafts)
    for draft in [Draft.make(layout, base: base, in: &drafts), patch] {
      draft.set(text(74), at: 3)
      #expect(refused(draft) == [3: 401])
      draft.set(text(73), at: 3)
      #expect(draft.refused == nil, "the record has exactly as many bytes as it may")
      draft.set("b", at: 4)
      #expect(refused(draft) == [4: 401])
      // A shorter value makes room.
      draft.set(text(72), at: 3)
      draft.set("b", at: 4)
      #expect(draft.refused == nil)
      #expect(draft.encode(into: &arena).byteCount <= 400)
    }
    withExtendedLifetime(drafts) {}
  }

  @Test func `refuses a value that does not encode itself`() {
    layout.withDraft(of: nil) { draft in
      draft.set(_CodableBox(Box(isLocked: false)), at: 5)
      #expect(!draft.set(_CodableBox(Box(isLocked: true)), at: 5))
      guard case .notEncodable(let error) = draft.refused?[5] else {
        Issue.record("nothing was refused")
        return
      }
      #expect(error is Refusal)
      #expect((draft.value(at: 5) as _CodableBox<Box>?)?.wrapped == Box(isLocked: false))
    }
  }

  @Test func `forgets a refusal when the slot is set, to an equal value too, or cleared`() {
    layout.withDraft(of: nil) { draft in
      draft.set("before", at: 0)
      draft.set(text(101), at: 0)
      draft.set(text(101), at: 1)
      draft.set(text(101), at: 2)
      draft.set("before", at: 0)
      #expect(refused(draft) == [1: 101, 2: 101])
      draft.set(String?.none, at: 1)
      #expect(refused(draft) == [2: 101])
      draft.set("other", at: 2)
      #expect(draft.refused == nil)
    }
  }
}
