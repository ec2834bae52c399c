// SPDX-License-Identifier: Apache-2.0
package import Foundation
import Strata
import StrataModel

/// The content of a store of a `NamedModel`: for each entity its objects in the order in which they
/// were inserted, for each object its values by name. The value of a relationship is the index of
/// the target among the objects of its entity. Names without a value are missing.
package typealias NamedContent = [String: [[String: String]]]

/// A store of a `NamedModel`.
package struct NamedStore {
  package let url: URL

  package init(at url: URL) { self.url = url }

  /// Opens the store, migrates it, and closes it.
  package func open(_ model: NamedModel, removing: Set<String> = []) throws {
    _ = try PersistentContainer(
      at: url, model: model.made(), removing: removing, durability: .none)
  }

  /// Creates the store.
  package func make(_ model: NamedModel, _ content: NamedContent) throws {
    let container = try PersistentContainer(at: url, model: model.made(), durability: .none)
    try container.root.performAndWait { context in
      var inserted: [String: [ManagedObject]] = [:]
      for (entity, rows) in content.sorted(by: { $0.key < $1.key }) {
        inserted[entity] = try rows.map { _ in
          try EntityDescription.insertNewObject(forEntityName: entity, into: context)
        }
      }
      for entity in model.outline.entities {
        for (object, values) in zip(inserted[entity.name] ?? [], content[entity.name] ?? []) {
          for attribute in entity.attributes {
            guard let text = values[attribute.name] else { continue }
            try object.setValue(.string(text), for: attribute.name)
          }
          for link in entity.relationships where link.kind == .toOne {
            guard let row = values[link.name].flatMap({ Int($0) }),
              let target = inserted[link.destination]?[row]
            else { continue }
            try object.setValue(.object(target.objectID), for: link.name)
          }
        }
      }
      try context.save()
    }
  }

  /// Opens the store with a model and reads it all.
  package func content(_ model: NamedModel, removing: Set<String> = []) throws -> NamedContent {
    let container = try PersistentContainer(
      at: url, model: model.made(), removing: removing, durability: .none)
    return try container.root.performAndWait { context in
      var objects: [String: [ManagedObject]] = [:]
      var places: [ObjectID: Int] = [:]
      for entity in model.outline.entities {
        let found = try context.fetch(FetchRequest<ManagedObject>(entityName: entity.name))
          .sorted { $0.objectID.key < $1.objectID.key }
        for (place, object) in found.enumerated() { places[object.objectID] = place }
        objects[entity.name] = found
      }
      var content: NamedContent = [:]
      for entity in model.outline.entities {
        content[entity.name] = try (objects[entity.name] ?? []).map { object in
          var values: [String: String] = [:]
          for attribute in entity.attributes {
            if case .string(let text) = try object.value(for: attribute.name) {
              values[attribute.name] = text
            }
          }
          for link in entity.relationships where link.kind == .toOne {
            let target = try object.target(for: link.name)
            values[link.name] = target.flatMap { places[$0.objectID].map(String.init) }
          }
          return values
        }
      }
      return content
    }
  }
}
