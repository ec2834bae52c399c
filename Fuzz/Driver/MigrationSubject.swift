// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataModel
import StrataTestSupport

/// Changed models: opening a small store with another model gives the objects that a naive oracle
/// expects (`RandomMigration`), or names the differences that cannot be inferred; then the store is
/// as it was.
///
/// An input is a pair of models with a store: its bytes are the random numbers of the work
/// (`ByteGenerator`).
enum MigrationSubject: Subject {
  static let name = "migration"
  static let weight = 200

  static func probe(_ bytes: UnsafeRawBufferPointer) throws(Finding) {
    var random = ByteGenerator(bytes)
    let migration = RandomMigration(using: &random)
    let scratch = ScratchStore()
    defer { scratch.remove() }
    let former: ManagedObjectModel
    let present: ManagedObjectModel
    do {
      former = try ManagedObjectModel(migration.former, class: ManagedObject.self)
      present = try ManagedObjectModel(
        migration.present, class: ManagedObject.self, adding: migration.additions)
      try make(migration, at: scratch.url, former)
    } catch {
      throw Finding("a store cannot be made: \(error)")
    }
    let isMigrated = try migrate(migration, scratch.url, present)
    // Twice: the second opening finds the model that the first one has left.
    let (model, rows) =
      isMigrated ? (present, migration.expected) : (former, migration.objects)
    do {
      let found = try read(rows.mapValues { _ in [] }, at: scratch.url, model)
      try require(
        found == rows,
        "\(found) is there, not \(rows), of \(migration.former) to \(migration.present)")
    } catch let finding as Finding {
      throw finding
    } catch {
      throw Finding("a store does not open again: \(error)")
    }
  }

  static func step(_ random: inout SeededGenerator) throws(Finding) {
    let count = Int.random(in: 20...200, using: &random)
    try probe(exactly: [UInt8](uniform: count, using: &random))
  }

  // MARK: - Stores

  private static func make(
    _ migration: RandomMigration, at url: URL, _ model: ManagedObjectModel
  ) throws {
    let container = try PersistentContainer(at: url, model: model, durability: .none)
    try container.root.performAndWait { context in
      var inserted: [String: [ManagedObject]] = [:]
      for entity in migration.former.entities {
        for values in migration.objects[entity.name] ?? [] {
          let object = try EntityDescription.insertNewObject(
            forEntityName: entity.name, into: context)
          for attribute in entity.attributes {
            guard let text = values[attribute.name] else { continue }
            try object.setValue(RandomMigration.value(text, attribute.type), for: attribute.name)
          }
          inserted[entity.name, default: []].append(object)
        }
      }
      for (row, values) in (migration.objects["E0"] ?? []).enumerated() {
        guard let target = values["link"].flatMap({ Int($0) }) else { continue }
        guard let source = inserted["E0"]?[row], let object = inserted["E1"]?[target] else {
          continue
        }
        try source.setValue(.object(object.objectID), for: "link")
      }
      try context.save()
    }
  }

  /// - Returns: whether the store has the present model now.
  private static func migrate(
    _ migration: RandomMigration, _ url: URL, _ present: ManagedObjectModel
  ) throws(Finding) -> Bool {
    do {
      _ = try PersistentContainer(
        at: url, model: present, removing: migration.removing, durability: .none)
    } catch let error as StoreError {
      switch error {
      case .modelMismatch(let found):
        let names = Set(
          found.map { mismatch in
            mismatch.property.map { "\(mismatch.entity).\($0)" } ?? mismatch.entity
          })
        try require(
          names == migration.mismatches, "\(found) were refused, not \(migration.mismatches)")
      case .uniquenessViolations:
        try require(
          migration.mismatches.isEmpty && migration.hasDuplicates, "no value is there twice")
      default: throw Finding("a migration has failed: \(error)")
      }
      return false
    } catch {
      throw Finding("a migration has failed: \(error)")
    }
    try require(
      migration.mismatches.isEmpty, "nothing was refused, not even \(migration.mismatches)")
    try require(!migration.hasDuplicates, "equal values of a unique attribute were accepted")
    return true
  }

  /// The values of all objects, in the order in which they were inserted.
  private static func read(
    _ entities: [String: [[String: String]]], at url: URL, _ model: ManagedObjectModel
  ) throws -> [String: [[String: String]]] {
    let container = try PersistentContainer(at: url, model: model, durability: .none)
    let outline = ModelOutline(model)
    return try container.root.performAndWait { context in
      var places: [ObjectID: Int] = [:]
      var objects: [String: [ManagedObject]] = [:]
      for entity in outline.entities {
        let found = try context.fetch(FetchRequest<ManagedObject>(entityName: entity.name))
          .sorted { $0.objectID.key < $1.objectID.key }
        for (place, object) in found.enumerated() { places[object.objectID] = place }
        objects[entity.name] = found
      }
      var rows = entities
      for entity in outline.entities {
        rows[entity.name] = try (objects[entity.name] ?? []).map { object in
          var values: [String: String] = [:]
          for attribute in entity.attributes {
            values[attribute.name] = RandomMigration.text(try object.value(for: attribute.name))
          }
          for relationship in entity.relationships where relationship.kind == .toOne {
            values[relationship.name] = try object.target(for: relationship.name).flatMap {
              places[$0.objectID].map(String.init)
            }
          }
          return values
        }
      }
      return rows
    }
  }
}
