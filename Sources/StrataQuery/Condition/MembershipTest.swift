// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// Whether a value is equal to one of several constants.
struct MembershipTest<V: AttributeValue & Hashable>: SlotTest {
  let members: Set<V>

  func isTrue(of slot: _RecordSlot) -> Bool { V(slot).map(members.contains) ?? false }

  func isTrue(of value: PropertyValue) -> Bool { V(value: value).map(members.contains) ?? false }

  func range(in kind: SlotKind) -> IndexRange? {
    var keyRanges: [KeyRange] = []
    var certainty = Certainty.all
    var points: [[UInt8]]? = []
    for member in members where member == member {
      let one = ComparisonOperator.equal.range(member.value, in: kind)
      keyRanges += one.keyRanges
      certainty = certainty.and(one.certainty)
      if let key = one.points { points?.append(contentsOf: key) } else { points = nil }
    }
    return IndexRange(keyRanges, .point, certainty, points: points)
  }

  var name: String { "in" }
}
