// SPDX-License-Identifier: Apache-2.0
package import StrataModel
package import StrataRecord

/// A test of one value: what an operator does once its path is resolved and its constant has the
/// path's type.
package protocol SlotTest: Sendable {
  /// Whether it holds of the value in `slot`, which is present.
  func isTrue(of slot: RecordSlot) -> Bool

  /// Whether it holds of a value that is in no slot: `.null`, or what an absent slot reads as.
  func isTrue(of value: Value) -> Bool

  /// Which entries of an index over a slot of `kind` have values that it holds of, absent slots left
  /// out; nil if the index cannot tell.
  func range(in kind: SlotKind) -> IndexRange?

  /// How a plan names it, without user values: "==", "prefix".
  var name: String { get }
}

/// A test of the value that a path leads to.
///
/// It is not generic over the test, nor asks it through the protocol, object by object: what stands in
/// an existential's table is never made for one type, and looks up at run time what an optional of
/// its constant's type is, for hundreds of instructions. The closure is made where the type is known.
///
/// A class, because it is handed on as a condition again and again while it is planned.
package final class SlotCondition: Condition {
  let path: ResolvedPath
  let test: any SlotTest
  /// The test, of a slot that is present.
  private let isTrueOfSlot: @Sendable (RecordSlot) -> Bool
  /// Whether the test holds of a slot that is absent.
  private let isTrueOfAbsent: Bool
  /// Whether it holds where the path leads nowhere.
  private let isTrueOfNowhere: Bool

  @inline(__always)
  package init<Test: SlotTest>(_ path: ResolvedPath, _ test: Test) {
    self.path = path
    self.test = test
    isTrueOfSlot = { test.isTrue(of: $0) }
    isTrueOfAbsent = test.isTrue(
      of: path.composite?.member(of: path.absentValue) ?? path.absentValue)
    isTrueOfNowhere = test.isTrue(of: Value.null)
  }

  /// The same test of what the path's end has.
  private init(atItsEnd condition: SlotCondition) {
    path = condition.path.atItsEnd
    test = condition.test
    isTrueOfSlot = condition.isTrueOfSlot
    isTrueOfAbsent = condition.isTrueOfAbsent
    isTrueOfNowhere = condition.isTrueOfNowhere
  }

  package func isTrue(of row: Row, _ reader: RowReader) throws -> Bool {
    guard let slot = try reader.slot(path, of: row) else { return isTrueOfNowhere }
    guard slot.isPresent else { return isTrueOfAbsent }
    guard let composite = path.composite else { return isTrueOfSlot(slot) }
    // What does not decode reads as what was never set.
    return composite.member(of: slot).map(test.isTrue) ?? isTrueOfAbsent
  }

  package var range: SlotRange? {
    guard path.isDirect, let range = test.range(in: path.kind) else { return nil }
    return (path.slot, isTrueOfAbsent ? range.addingAbsent(path.kind) : range)
  }

  /// From the objects at the path's end that the test holds of, back over the relationships.
  package var lead: Lead? {
    guard path.depth == 0, !path.hops.isEmpty, path.composite == nil, !isTrueOfNowhere else {
      return nil
    }
    return .over(hops: path.hops, SlotCondition(atItsEnd: self))
  }

  package var description: String { "\(path.name) \(test.name)" }
}
