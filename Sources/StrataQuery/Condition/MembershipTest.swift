// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// Whether a value is equal to one of several constants.
struct MembershipTest<V: AttributeValue & Hashable>: SlotTest {
  let members: Set<V>

  func isTrue(of slot: RecordSlot) -> Bool { V(slot).map(members.contains) ?? false }

  func isTrue(of value: Value) -> Bool { V(value: value).map(members.contains) ?? false }

  func range(in kind: SlotKind) -> IndexRange? {
    var stretches: [KeyRange] = []
    var certainty = Certainty.all
    var points: [[UInt8]]? = []
    for member in members where member == member {
      let one = ComparisonOperator.equal.range(member.value, in: kind)
      stretches += one.stretches
      certainty = certainty.and(one.certainty)
      if let key = one.points { points?.append(contentsOf: key) } else { points = nil }
    }
    return IndexRange(stretches, .point, certainty, points: points)
  }

  var name: String { "in" }
}
