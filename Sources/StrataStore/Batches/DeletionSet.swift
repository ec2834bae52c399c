// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// The objects that a batch deletes, as they are found: 8 bytes and their place in a table for
/// each.
struct DeletionSet {
  private var keys: [EntityNumber: Set<ObjectKey>] = [:]
  private(set) var count = 0

  /// The entities that objects are of, ascending.
  var entities: [EntityNumber] { keys.keys.sorted() }

  func contains(_ key: ObjectKey) -> Bool { keys[key.entity]?.contains(key) ?? false }

  /// How many objects of each entity there are.
  var counts: [EntityNumber: Int] { keys.mapValues(\.count) }

  /// - Returns: whether it is new.
  @discardableResult
  mutating func insert(_ key: ObjectKey) -> Bool {
    let isNew = keys[key.entity, default: []].insert(key).inserted
    if isNew { count += 1 }
    return isNew
  }

  /// The objects of one entity in the order of their keys.
  func sorted(of entity: EntityNumber) -> [ObjectKey] {
    (keys[entity] ?? []).sorted { $0.rawValue < $1.rawValue }
  }
}
