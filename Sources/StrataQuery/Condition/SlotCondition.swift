// SPDX-License-Identifier: Apache-2.0
package import StrataModel
package import StrataRecord

/// A test of one value: an operator with a constant, after the path is resolved and the constant is
/// converted to the path's type.
package protocol SlotTest: Sendable {
  /// Whether the value in `slot` satisfies the test. The slot is present.
  func isTrue(of slot: _RecordSlot) -> Bool

  /// Whether a value that is not in a slot satisfies the test: `.null`, or the value of an absent
  /// slot.
  func isTrue(of value: PropertyValue) -> Bool

  /// Returns the entries of an index over a slot of `kind` with values that satisfy the test,
  /// without absent slots; nil if the index cannot answer the test.
  func range(in kind: SlotKind) -> IndexRange?

  /// The entries of an index of words that can answer the test; nil for tests of anything else.
  var words: WordSource? { get }

  /// Returns the same test with another constant; nil if the constant does not fit, or if the test
  /// has other than one constant.
  func with(_ constant: PropertyValue) -> Self?

  /// The constants of which one is equal to each value that satisfies the test; nil for tests that
  /// are no equality.
  var equalities: Equalities? { get }

  /// The name of the test in plans, without user values: "==", "prefix".
  var name: String { get }
}

extension SlotTest {
  package var equalities: Equalities? { nil }
  package func with(_ constant: PropertyValue) -> Self? { nil }
  package var words: WordSource? { nil }
}

/// A test of any type, as one object.
///
/// The class is not generic over `SlotTest`, only its conformance is: at the first use of a test's
/// type, the runtime would search all conformances of the program for the type's (`OrderedTable`).
private final class Box<Test: Sendable>: Sendable {
  let value: Test

  init(_ value: Test) { self.value = value }
}

extension Box: SlotTest where Test: SlotTest {
  func isTrue(of slot: _RecordSlot) -> Bool { value.isTrue(of: slot) }
  func isTrue(of value: PropertyValue) -> Bool { self.value.isTrue(of: value) }
  func range(in kind: SlotKind) -> IndexRange? { value.range(in: kind) }
  func with(_ constant: PropertyValue) -> Box? { value.with(constant).map(Box.init) }
  var words: WordSource? { value.words }
  var equalities: Equalities? { value.equalities }
  var name: String { value.name }
}

/// A test of the value at the end of a path.
///
/// The class is not generic over the test, and does not call the test through its protocol for each
/// object. A method in a protocol's witness table is not specialized: it would look up the type of
/// an optional constant at run time, which takes hundreds of instructions. The closure is created
/// where the type is known. It captures one object, for which it needs no context of its own.
///
/// A class, because planning copies the condition many times.
///
/// ## Isolation
/// Sendable: constant.
package final class SlotCondition: Condition {
  let path: ResolvedPath
  let test: any SlotTest
  /// The test of a slot that is present.
  private let isTrueOfSlot: @Sendable (_RecordSlot) -> Bool
  /// Makes the same condition with another constant.
  private let bind: @Sendable (ResolvedPath, PropertyValue) -> SlotCondition?
  /// Makes the test of records of a layout.
  private let makeRecordTest:
    @Sendable (RecordLayout, _ slot: Int, _ isTrueOfAbsent: Bool) -> RecordTest
  /// The result of the test for an absent slot.
  private let isTrueOfAbsent: Bool
  /// The result of the test if a relationship on the path is nil.
  private let isTrueOfNowhere: Bool

  @inline(__always)
  package init<Test: SlotTest>(_ path: ResolvedPath, _ test: Test) {
    let test = Box(test)
    self.path = path
    self.test = test
    isTrueOfSlot = { test.value.isTrue(of: $0) }
    bind = { path, constant in test.value.with(constant).map { SlotCondition(path, $0) } }
    makeRecordTest = { layout, slot, isTrueOfAbsent in
      let place = layout.places[slot]
      return RecordTest { start in
        let slot = layout.slot(place, at: start)
        return slot.isPresent ? test.value.isTrue(of: slot) : isTrueOfAbsent
      }
    }
    isTrueOfAbsent = test.value.isTrue(
      of: path.composite?.member(of: path.absentValue) ?? path.absentValue)
    isTrueOfNowhere = !path.hops.isEmpty && test.value.isTrue(of: PropertyValue.null)
  }

  /// Creates the same test for the object at the path's end.
  private init(atItsEnd condition: SlotCondition) {
    path = condition.path.atItsEnd
    test = condition.test
    isTrueOfSlot = condition.isTrueOfSlot
    bind = condition.bind
    makeRecordTest = condition.makeRecordTest
    isTrueOfAbsent = condition.isTrueOfAbsent
    isTrueOfNowhere = condition.isTrueOfNowhere
  }

  /// Returns the same condition with another constant; nil if the constant does not fit the
  /// property as it is, or if the test has other than one constant.
  func with(_ constant: PropertyValue) -> SlotCondition? { bind(path, constant) }

  package func isTrue(of row: Row, _ reader: RowReader) throws -> Bool {
    guard let slot = try reader.slot(path, of: row) else { return isTrueOfNowhere }
    guard slot.isPresent else { return isTrueOfAbsent }
    guard let composite = path.composite else { return isTrueOfSlot(slot) }
    // A composite that cannot be decoded reads as an attribute that was never set.
    return composite.member(of: slot).map(test.isTrue) ?? isTrueOfAbsent
  }

  package func recordTest(in layout: RecordLayout) -> RecordTest? {
    guard path.isDirect else { return nil }
    return makeRecordTest(layout, path.slot, isTrueOfAbsent)
  }

  package var range: SlotRange? {
    guard path.isDirect, let range = test.range(in: path.kind) else { return nil }
    return (path.slot, isTrueOfAbsent ? range.addingAbsent(path.kind) : range)
  }

  /// The objects that have the words that the test looks for; for a path through relationships, the
  /// objects at its end that satisfy the test, from which the fetch returns over them.
  package var lead: Lead? {
    if path.isDirect {
      return test.words.map { .words(slot: path.slot, $0) }
    }
    guard path.depth == 0, !path.hops.isEmpty, path.composite == nil, !isTrueOfNowhere else {
      return nil
    }
    return .over(hops: path.hops, SlotCondition(atItsEnd: self))
  }

  package var equality: Equality? { test.equalities.flatMap { Equality(path, $0) } }

  package var description: String { "\(path.name) \(test.name)" }
}
