// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataLMDB

// Values that programs keep beside the description of the store, under keys of their own.

extension Catalog {
  private static let firstByteOfValues = UInt8(ascii: "=")

  static func formatVersion(in transaction: Transaction, _ tree: Tree) throws -> Int {
    let key = Array("format".utf8)
    let bytes = try key.withUnsafeBytes { try transaction.get($0, in: tree).map { [UInt8]($0) } }
    guard let bytes, bytes.count == 8 else { return 0 }
    return Int(bytes[6]) | Int(bytes[7]) << 8
  }

  /// All values, by their keys.
  static func values(in transaction: Transaction, _ tree: Tree) throws -> [String: Data] {
    var values: [String: Data] = [:]
    try forEachValue(in: transaction, tree) { values[$0] = Data($1) }
    return values
  }

  /// Calls `body` with the key and the bytes of each value, ascending by the bytes of the keys.
  private static func forEachValue(
    in transaction: Transaction, _ tree: Tree,
    _ body: (_ key: String, UnsafeRawBufferPointer) -> Void
  ) throws {
    var cursor = try transaction.cursor(in: tree)
    var isThere = try [firstByteOfValues].withUnsafeBytes { try cursor.seek(atOrAbove: $0) }
    while isThere, cursor.key.first == firstByteOfValues {
      if let key = String(validating: cursor.key.dropFirst(), as: UTF8.self) {
        body(key, cursor.value)
      }
      isThere = try cursor.next()
    }
  }

  /// Sets a value, or removes it if it is nil. Values under keys that are equal as strings and have
  /// other bytes are removed: a store may have such keys from before they were normalized.
  static func setValue(
    _ value: Data?, forKey key: String, in transaction: WriteTransaction
  ) throws {
    guard let tree = try transaction.tree(named: Trees.catalogName) else {
      throw StoreError.damaged(
        tree: Trees.catalogName, key: nil, reason: "the tree is missing")
    }
    var formerKeys: [String] = []
    try forEachValue(in: transaction, tree) { former, _ in
      if former == key { formerKeys.append(former) }
    }
    for former in formerKeys {
      _ = try entry(of: former).withUnsafeBytes { try transaction.delete($0, in: tree) }
    }
    guard let value else { return }
    try entry(of: key).withUnsafeBytes { entry in
      try value.withUnsafeBytes { try transaction.put(entry, $0, in: tree) }
    }
  }

  /// The name in the tree of the value of a key.
  private static func entry(of key: String) -> [UInt8] { [firstByteOfValues] + Array(key.utf8) }
}
