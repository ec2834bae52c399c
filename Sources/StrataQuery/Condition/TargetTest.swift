// SPDX-License-Identifier: Apache-2.0
import StrataChanges
package import StrataModel
package import StrataRecord

/// Whether a to-one relationship leads to one of several objects, or an object is one of them.
/// Objects of other stores are left out, because no relationship can lead to them.
package struct TargetTest: SlotTest {
  let keys: Set<ObjectKey>

  /// - Parameter ids: the objects, each an `.object`.
  /// - Throws: `unfitProperty` if one of `ids` is not an `.object`.
  package init(_ path: ResolvedPath, _ ids: [PropertyValue], in schema: Schema) throws(QueryError) {
    guard let test = TargetTest(ids, in: schema) else { throw path.isUnfit }
    self = test
  }

  /// Creates a test; nil if one of `ids` is not an `.object`.
  init?(_ ids: [PropertyValue], in schema: Schema) {
    var keys: Set<ObjectKey> = []
    for value in ids {
      guard case .object(let id) = value else { return nil }
      if schema.store.has(id) { keys.insert(id.key) }
    }
    self.keys = keys
  }

  init(_ keys: Set<ObjectKey>) { self.keys = keys }

  package var equalities: Equalities? { .targets(keys) }

  package func isTrue(of slot: _RecordSlot) -> Bool {
    guard let target = slot.toOne else { return false }
    return keys.contains(target)
  }

  package func isTrue(of value: PropertyValue) -> Bool {
    guard case .object(let id) = value else { return false }
    return keys.contains(id.key)
  }

  package func range(in kind: SlotKind) -> IndexRange? {
    let ranges = keys.map { KeyRange(leadingTo: $0) }
    return IndexRange(ranges, .point, points: ranges.map(\.lower))
  }

  package var name: String { keys.count == 1 ? "==" : "in" }
}
