// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataLMDB
import StrataTestSupport

/// A file in a folder of its own, and ways to say bytes shortly.
struct ScratchEnvironment {
  let directory: TemporaryDirectory
  let path: String
  let options: EnvironmentOptions

  /// - Parameter byteCountMax: small, since tests run side by side and the thread sanitizer leaves
  ///   little address space.
  init(
    byteCountMax: Int = 1 << 28, durability: StoreDurability = .none, readerCountMax: Int = 1024,
    keepsName: Bool = true, writerIdleLimit: Duration = .seconds(1)
  ) throws {
    directory = try TemporaryDirectory()
    path = directory.file("store").path
    var options = EnvironmentOptions()
    options.byteCountMax = byteCountMax
    options.durability = durability
    options.readerCountMax = readerCountMax
    options.createIfMissing = true
    options.keepsName = keepsName
    options.writerIdleLimit = writerIdleLimit
    self.options = options
  }

  /// - Parameter isTrusted: whether the file's pages are not checked before.
  func open(trusted isTrusted: Bool = false) throws -> Environment {
    var options = options
    options.isTrusted = isTrusted
    return try Environment.open(at: path, options: options)
  }
}

/// `body` with the UTF-8 of `text`.
func bytes<T>(
  of text: String, _ body: (UnsafeRawBufferPointer) throws -> T
) rethrows -> T {
  try bytes(of: Array(text.utf8), body)
}

func bytes<T>(
  of array: [UInt8], _ body: (UnsafeRawBufferPointer) throws -> T
) rethrows -> T {
  try array.withUnsafeBytes { buffer in try body(buffer) }
}

extension Transaction {
  func text(_ key: String, in tree: Tree) throws -> String? {
    try bytes(of: key) { key in
      guard let value = try get(key, in: tree) else { return nil }
      return String(decoding: value, as: UTF8.self)
    }
  }

  /// All entries, by a cursor from the first on.
  func entries(of tree: Tree) throws -> [([UInt8], [UInt8])] {
    var entries: [([UInt8], [UInt8])] = []
    var cursor = try cursor(in: tree)
    var isOnEntry = try cursor.first()
    while isOnEntry {
      entries.append(([UInt8](cursor.key), [UInt8](cursor.value)))
      isOnEntry = try cursor.next()
    }
    return entries
  }

  func texts(of tree: Tree) throws -> [String] {
    let entries = try entries(of: tree)
    return entries.map { key, value in
      "\(String(decoding: key, as: UTF8.self))=\(String(decoding: value, as: UTF8.self))"
    }
  }
}

extension WriteTransaction {
  func put(_ key: String, _ value: String, in tree: Tree) throws {
    try bytes(of: key) { key in
      try bytes(of: value) { value in
        try put(key, value, in: tree)
      }
    }
  }

  @discardableResult
  func delete(_ key: String, in tree: Tree) throws -> Bool {
    try bytes(of: key) { key in try delete(key, in: tree) }
  }
}

extension Environment {
  /// The tree called `name`, made and filled.
  @discardableResult
  func makeTree(_ name: String, _ entries: KeyValuePairs<String, String> = [:]) throws -> Tree {
    try writeSync { transaction in
      let tree = try transaction.makeTree(named: name)
      for (key, value) in entries { try transaction.put(key, value, in: tree) }
      return tree
    }
  }
}
