// SPDX-License-Identifier: Apache-2.0
public import Foundation
import StrataStore

/// The description of a store: its identity, its model and its size, and values that programs have
/// set. It can be read without the program's model. Core Data: the metadata of a persistent store.
public struct StoreMetadata: Sendable {
  /// An entity as the store describes it.
  public struct StoredEntity: Sendable, Hashable {
    /// The name of the entity in the store's model.
    public let name: String
    /// The name of the entity that it inherits from; nil if there is none.
    public let superentity: String?
    /// The names of the attributes that it declares itself, sorted.
    public let attributes: [String]
    /// The names of the relationships that it declares itself, sorted.
    public let relationships: [String]
    /// How many objects it has, without its subentities.
    public let objectCount: Int
  }

  /// The store's identity, which copies of its file have too.
  public let storeID: UUID
  /// The version of the file format.
  public let formatVersion: Int
  /// How many models the store has had.
  public let modelVersion: Int
  /// The entities of the store's model, sorted by name.
  public let entities: [StoredEntity]
  /// The size of the file in bytes.
  public let byteCount: Int
  private let values: [String: Data]

  init(_ stored: StoredMetadata) {
    storeID = stored.uuid
    (formatVersion, modelVersion) = (stored.formatVersion, stored.modelVersion)
    (byteCount, values) = (stored.byteCount, stored.values)
    entities = stored.outline.entities.map { entity in
      StoredEntity(
        name: entity.name, superentity: entity.superentity,
        attributes: entity.attributes.map(\.name),
        relationships: entity.relationships.map(\.name),
        objectCount: stored.objectCounts[entity.name] ?? 0)
    }
  }

  /// The keys of the values that programs have set, sorted.
  public var keys: [String] { values.keys.sorted() }

  /// A value that a program has set; nil if there is none.
  ///
  /// - Throws: `DecodingError` if the stored value is not a `Value`.
  public func value<Value: Decodable>(_ key: String, as type: Value.Type) throws -> Value? {
    // The value is in an array, because some JSON decoders reject a single value at the top.
    try values[key].flatMap { try JSONDecoder().decode([Value].self, from: $0).first }
  }
}

extension PersistentStoreCoordinator {
  /// Reads the metadata of a store, which may be in use, without its model. Core Data:
  /// `metadataForPersistentStore(type:at:)`.
  ///
  /// - Throws: `StoreError.notAFileURL`, `.notAStrataStore`, `.permissionDenied`,
  ///   `.unsupportedFormat`, `.damaged`, `.storage`.
  /// - Complexity: O(entities + values).
  public static func metadata(ofStoreAt url: URL) throws -> StoreMetadata {
    StoreMetadata(try StoredMetadata(ofStoreAt: url.storePath))
  }

  /// The metadata of the store. Core Data: `metadata(for:)`.
  ///
  /// - Throws: `StoreError.severalStores` if the coordinator has several stores: ask
  ///   `coordinator(for:)`. Other `StoreError` if reading fails.
  public func metadata() throws -> StoreMetadata { StoreMetadata(try store.metadata()) }

  /// Sets a value in the store's metadata, in order with the saves, and waits for the disk.
  ///
  /// - Parameters:
  ///   - value: the new value; nil removes the value. It should be small, because all values of a
  ///     store are read together.
  ///   - key: the key, 1 to 255 bytes in NFC and UTF-8. Keys that are equal as strings name one
  ///     value.
  /// - Throws: `StoreError.invalidMetadataKey`; `.severalStores` if the coordinator has several
  ///   stores: ask `coordinator(for:)`; other cases of `StoreError`; the errors of encoding. After
  ///   an error nothing is changed.
  public func setMetadata<Value: Encodable>(_ value: Value?, forKey key: String) async throws {
    // Swift compares strings by canonical equivalence, and the file compares bytes.
    let key = key.precomposedStringWithCanonicalMapping
    guard 1...255 ~= key.utf8.count else { throw StoreError.invalidMetadataKey(key) }
    let data = try value.map { try JSONEncoder().encode([$0]) }
    try await withCheckedThrowingContinuation { continuation in
      store.setValue(data, forKey: key) { continuation.resume(with: $0) }
    }
  }
}
