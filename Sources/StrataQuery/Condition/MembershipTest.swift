// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// Whether a value is one of some constants.
struct MembershipTest<V: AttributeValue & Hashable>: SlotTest {
  let members: Set<V>

  func isTrue(of slot: RecordSlot) -> Bool { V(slot).map(members.contains) ?? false }

  func isTrue(of value: Value) -> Bool { V(value: value).map(members.contains) ?? false }

  func stretch(in kind: SlotKind) -> KeyStretch? {
    var ranges: [KeyRange] = []
    var certainty = KeyStretch.Certainty.all
    var points: [[UInt8]]? = []
    for member in members where member == member {
      let one = ComparisonOperator.equal.stretch(member.value, in: kind)
      ranges += one.ranges.ranges
      certainty = certainty.and(one.certainty)
      if let key = one.points { points?.append(contentsOf: key) } else { points = nil }
    }
    return KeyStretch(
      ranges: KeyRanges(ranges), bounds: .point, certainty: certainty, points: points)
  }

  var name: String { "in" }
}
