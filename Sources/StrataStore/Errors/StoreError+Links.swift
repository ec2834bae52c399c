// SPDX-License-Identifier: Apache-2.0
package import StrataModel

// Damage that shows where two places of the file do not agree about a link. What deletes or unlinks
// objects looks at both, because an index that names a wrong object would have it destroy that.

extension StoreError {
  /// A record is not what was written under its key, or is missing.
  static func damagedRecord(of key: ObjectKey, _ reason: String) -> StoreError {
    .damaged(tree: "r\(key.entity.rawValue)", key: "serial \(key.serial)", reason: reason)
  }

  /// An index names an object that its record does not belong to.
  package static func damagedIndex(naming key: ObjectKey, _ reason: String) -> StoreError {
    .damaged(tree: "i\(key.entity.rawValue)", key: "serial \(key.serial)", reason: reason)
  }

  /// One object is said to be linked to another, and the other end does not know.
  package static func damagedLink(of owner: ObjectKey, to end: ObjectKey) -> StoreError {
    damagedIndex(
      naming: end, "it is said to be linked to \(owner.entity.rawValue)/\(owner.serial), and is not"
    )
  }
}
