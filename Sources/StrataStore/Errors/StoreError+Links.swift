// SPDX-License-Identifier: Apache-2.0
package import StrataModel

// Damage where two places of the file disagree about a link. Deleting and unlinking read both
// places: an index that names a wrong object would otherwise destroy that object.

extension StoreError {
  /// A record is missing, or differs from the one that was written under its key.
  package static func damagedRecord(of key: ObjectKey, _ reason: String) -> StoreError {
    .damaged(
      tree: TreeKind.records.name(of: key.entity), key: "serial \(key.serial)", reason: reason)
  }

  /// An index names an object that its record does not belong to.
  package static func damagedIndex(naming key: ObjectKey, _ reason: String) -> StoreError {
    .damaged(
      tree: TreeKind.entries.name(of: key.entity), key: "serial \(key.serial)", reason: reason)
  }

  /// One object is linked to another according to one place, and the other end does not lead back.
  package static func damagedLink(of owner: ObjectKey, to end: ObjectKey) -> StoreError {
    damagedIndex(
      naming: end, "it is said to be linked to \(owner.entity.rawValue)/\(owner.serial), and is not"
    )
  }
}
