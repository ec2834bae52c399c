// SPDX-License-Identifier: Apache-2.0
import CStrata
import Foundation
import StrataLMDB
import Testing

/// The file of a store that is open elsewhere, read and changed below the store.
struct StoreFile {
  private let environment: Environment

  init(_ path: String) throws {
    var options = EnvironmentOptions()
    options.durability = .none
    environment = try Environment.open(at: path, options: options)
  }

  // MARK: - The catalog

  /// The format version.
  func format() throws -> UInt8 {
    let tree = try #require(try environment.tree(named: "catalog"))
    let transaction = try environment.read()
    return try Array("format".utf8).withUnsafeBytes { key in
      try #require(try transaction.get(key, in: tree))[6]
    }
  }

  func setFormat(_ format: UInt8) throws {
    try environment.writeSync { transaction in
      let tree = try #require(try transaction.tree(named: "catalog"))
      try Array("format".utf8).withUnsafeBytes { key in
        try (Array("Strata".utf8) + [format, 0]).withUnsafeBytes {
          try transaction.put(key, $0, in: tree)
        }
      }
    }
  }

  /// The note `#history`.
  func note() throws -> [UInt8] {
    let transaction = try environment.read()
    return [UInt8](try #require(try transaction.note("#history")))
  }

  func setNote(_ bytes: [UInt8]) throws {
    try environment.writeSync { transaction in
      try bytes.withUnsafeBytes { try transaction.setNote("#history", to: $0) }
    }
  }

  // MARK: - The tree of the history

  /// The keys and values, in order.
  func entries() throws -> [(key: [UInt8], value: [UInt8])] {
    var entries: [(key: [UInt8], value: [UInt8])] = []
    let tree = try #require(try environment.tree(named: "history"))
    let transaction = try environment.read()
    var cursor = try transaction.cursor(in: tree)
    while try cursor.next() { entries.append(([UInt8](cursor.key), [UInt8](cursor.value))) }
    return entries
  }

  /// - Parameter value: nil to delete the entry.
  func put(_ value: [UInt8]?, under key: [UInt8]) throws {
    try environment.writeSync { transaction in
      let tree = try #require(try transaction.tree(named: "history"))
      try key.withUnsafeBytes { key in
        if let value {
          try value.withUnsafeBytes { try transaction.put(key, $0, in: tree) }
        } else {
          _ = try transaction.delete(key, in: tree)
        }
      }
    }
  }

  /// Gives a transaction of one chunk another date, and the checksum that goes with it. The note
  /// does not know the date of the oldest transaction then.
  func setDate(_ date: Date, of generation: UInt64) throws {
    let seconds = date.timeIntervalSinceReferenceDate.bitPattern.littleEndian
    try change(transaction: generation) { value in
      withUnsafeBytes(of: seconds) { value.replaceSubrange(5..<13, with: $0) }
    }
    let date = withUnsafeBytes(of: Double.nan.bitPattern.littleEndian) { [UInt8]($0) }
    try setNote(Array(note().prefix(40)) + date)
  }

  /// Gives a transaction of one chunk another mark of its last chunk, and the checksum that goes
  /// with it.
  func setMark(_ mark: UInt8, of generation: UInt64) throws {
    try change(transaction: generation) { $0[4] = mark }
  }

  private func change(transaction generation: UInt64, _ change: (inout [UInt8]) -> Void) throws {
    let number = withUnsafeBytes(of: generation.bigEndian) { Array($0[2...]) }
    let key = [1] + number + [0, 0, 0, 0]
    var value = try #require(try entries().first { $0.key == key }).value
    change(&value)
    let checksum = value.withUnsafeBytes {
      strata_checksum($0.baseAddress.map { $0 + 4 }, $0.count - 4, generation << 16)
    }
    withUnsafeBytes(of: checksum.littleEndian) { value.replaceSubrange(0..<4, with: $0) }
    try put(value, under: key)
  }
}
