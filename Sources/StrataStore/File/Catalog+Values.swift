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
    var cursor = try transaction.cursor(in: tree)
    var isThere = try [firstByteOfValues].withUnsafeBytes { try cursor.seek(atOrAbove: $0) }
    while isThere, cursor.key.first == firstByteOfValues {
      if let key = String(validating: cursor.key.dropFirst(), as: UTF8.self) {
        values[key] = Data(cursor.value)
      }
      isThere = try cursor.next()
    }
    return values
  }

  /// Sets a value, or removes it if it is nil.
  static func setValue(
    _ value: Data?, forKey key: String, in transaction: WriteTransaction
  ) throws {
    guard let tree = try transaction.tree(named: Trees.catalogName) else {
      throw StoreError.damaged(
        tree: Trees.catalogName, key: nil, reason: "the tree is missing")
    }
    let key = [firstByteOfValues] + Array(key.utf8)
    try key.withUnsafeBytes { key in
      if let value {
        try value.withUnsafeBytes { try transaction.put(key, $0, in: tree) }
      } else {
        _ = try transaction.delete(key, in: tree)
      }
    }
  }
}
