// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// Whether a value is equal to one of several constants.
struct MembershipTest<V: AttributeValue & Hashable>: SlotTest {
  private let members: Set<V>

  init(members: some Sequence<V>) { self.members = Set(members.map(Self.hashable)) }

  func isTrue(of slot: _RecordSlot) -> Bool { V(slot).map(isMember) ?? false }

  func isTrue(of value: PropertyValue) -> Bool { V(value: value).map(isMember) ?? false }

  private func isMember(_ value: V) -> Bool { members.contains(Self.hashable(value)) }

  /// A text that is hashed in O(length).
  @inline(__always)
  private static func hashable(_ value: V) -> V {
    guard let text = value as? String else { return value }
    return text.withOrderedMarks as? V ?? value
  }

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

  var equalities: Equalities? { .values(members.map(\.value)) }

  var name: String { "in" }
}
