// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataLMDB

/// Every byte of objects, index entries and links in a store's file, tree by tree: two stores with
/// the same history have the same.
struct StoreContents: Equatable {
  private(set) var trees: [String: [[UInt8]: [UInt8]]] = [:]

  /// - Parameter url: of a store that was opened with durability `.none`.
  init(of url: URL) throws {
    var options = EnvironmentOptions()
    options.durability = .none
    let environment = try Environment.open(at: url.path, options: options)
    for name in try environment.read().treeNames() where name != "catalog" {
      guard let tree = try environment.tree(named: name) else { continue }
      let transaction = try environment.read()
      var entries: [[UInt8]: [UInt8]] = [:]
      var cursor = try transaction.cursor(in: tree)
      var isThere = try cursor.first()
      while isThere {
        entries[[UInt8](cursor.key)] = [UInt8](cursor.value)
        isThere = try cursor.next()
      }
      trees[name] = entries
    }
  }

  /// The differences, in words.
  func differences(from other: StoreContents) -> [String] {
    var found: [String] = []
    for name in Set(trees.keys).union(other.trees.keys).sorted() {
      let (ours, theirs) = (trees[name] ?? [:], other.trees[name] ?? [:])
      for key in Set(ours.keys).union(theirs.keys) where ours[key] != theirs[key] {
        found.append(
          "\(name) \(key): \(String(describing: ours[key])) here,"
            + " \(String(describing: theirs[key])) there")
      }
    }
    return found
  }
}
