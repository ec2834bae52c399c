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
    var cursor = EntryCursor(on: tree, named: Trees.catalogName, in: transaction)
    var isThere = try [firstByteOfValues].withUnsafeBytes { try cursor.seek(atOrAbove: $0) }
    while isThere, cursor.key.first == firstByteOfValues {
      if let key = String(validating: cursor.key.dropFirst(), as: UTF8.self) {
        body(key, cursor.value)
      }
      isThere = try cursor.next()
    }
  }

  /// Sets a value, or removes it if it is nil.
  ///
  /// - Parameter key: in NFC, as all keys of the store are after `normalizeKeys`.
  static func setValue(
    _ value: Data?, forKey key: String, in transaction: WriteTransaction
  ) throws {
    let tree = try tree(in: transaction)
    try entry(of: key).withUnsafeBytes { entry in
      guard let value else {
        _ = try transaction.delete(entry, in: tree)
        return
      }
      try value.withUnsafeBytes { try transaction.put(entry, $0, in: tree) }
    }
  }

  /// Brings the keys of all values into NFC: a former release has stored them as they came. Of keys
  /// that are equal as strings, the value of the last remains, which `values` gives.
  ///
  /// - Complexity: O(values).
  static func normalizeKeys(in transaction: WriteTransaction) throws {
    let tree = try tree(in: transaction)
    var former: [(key: String, value: Data)] = []
    try forEachValue(in: transaction, tree) { key, value in
      if !key.utf8.elementsEqual(key.precomposedStringWithCanonicalMapping.utf8) {
        former.append((key, Data(value)))
      }
    }
    if former.isEmpty { return }
    let values = try values(in: transaction, tree)
    for (key, value) in former {
      _ = try entry(of: key).withUnsafeBytes { try transaction.delete($0, in: tree) }
      try setValue(
        values[key] ?? value, forKey: key.precomposedStringWithCanonicalMapping, in: transaction)
    }
  }

  private static func tree(in transaction: WriteTransaction) throws -> Tree {
    guard let tree = try transaction.tree(named: Trees.catalogName) else {
      throw StoreError.damaged(
        tree: Trees.catalogName, key: nil, reason: "the tree is missing")
    }
    return tree
  }

  /// The name in the tree of the value of a key.
  private static func entry(of key: String) -> [UInt8] { [firstByteOfValues] + Array(key.utf8) }
}
