// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataLMDB
import StrataModel
import StrataRecord
import StrataStore
import StrataTestSupport

/// The file of a store with external attributes, looked at from below.
struct ExternalAudit {
  private let store: LMDBStore
  private let environment: Environment

  /// - Parameter directory: the directory of `republic(in:)`, whose container is open.
  init(_ directory: TemporaryDirectory) throws {
    let path = directory.file("republic.strata").path
    store = try LMDBStore.open(at: path, model: republicModel(), durability: .none)
    var options = EnvironmentOptions()
    options.durability = .none
    environment = try Environment.open(at: path, options: options)
  }

  /// The key of an external value as the file's format has it.
  private func name(_ key: ObjectKey, _ number: PropertyNumber) -> [UInt8] {
    let word = (key.serial << 16 | UInt64(number.rawValue)).bigEndian
    return withUnsafeBytes(of: word) { Array($0) }
  }

  private func entries(of entity: EntitySchema) throws -> [[UInt8]: [UInt8]] {
    guard let tree = try environment.tree(named: "x\(entity.number.rawValue)") else { return [:] }
    let transaction = try environment.read()
    var cursor = try transaction.cursor(in: tree)
    var entries: [[UInt8]: [UInt8]] = [:]
    var isThere = try cursor.first()
    while isThere {
      entries[[UInt8](cursor.key)] = [UInt8](cursor.value)
      isThere = try cursor.next()
    }
    return entries
  }

  /// How many external values the file has.
  func count() throws -> Int {
    try store.schema.entities.reduce(0) { try $0 + entries(of: $1).count }
  }

  /// Stamps without their bytes, and bytes without a record that has their stamp.
  func problems() throws -> [String] {
    var problems: [String] = []
    let snapshot = try store.snapshot()
    for entity in store.schema.entities {
      var entries = try entries(of: entity)
      try snapshot.scanRecords(of: entity.number) { key, _, bytes in
        guard let start = bytes.baseAddress else { return .more }
        for slot in entity.layout.externalSlots {
          guard let stamp = entity.layout.slot(slot, at: start).stamp else { continue }
          let bytes = entries.removeValue(forKey: name(key, entity.numbers[slot]))
          let place = "\(key) \(entity.description.properties[slot].name)"
          guard let bytes else {
            problems.append("\(place) has a stamp and no bytes")
            continue
          }
          if !bytes.withUnsafeBytes({ stamp.fits($0) }) { problems.append("\(place) does not fit") }
        }
        return .more
      }
      problems += entries.keys.map { "\(entity.description.name): nobody owns \($0)" }
    }
    return problems
  }

  /// Changes each external value in the file.
  func damage(_ change: @escaping @Sendable ([UInt8]) -> [UInt8]?) throws {
    for entity in store.schema.entities {
      let entries = try entries(of: entity)
      if entries.isEmpty { continue }
      let name = "x\(entity.number.rawValue)"
      try environment.writeSync { transaction in
        guard let tree = try transaction.tree(named: name) else { return }
        for (key, value) in entries {
          try key.withUnsafeBytes { key in
            guard let changed = change(value) else {
              try transaction.delete(key, in: tree)
              return
            }
            try changed.withUnsafeBytes { try transaction.put(key, $0, in: tree) }
          }
        }
      }
    }
  }
}
