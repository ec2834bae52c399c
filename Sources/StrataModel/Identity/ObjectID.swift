// SPDX-License-Identifier: Apache-2.0
public import Foundation
import StrataPrimitives

/// Identifies a managed object: which store, which entity, which object of it.
///
/// An ID is permanent from birth: an object has it as soon as it is inserted, before any save, and
/// keeps it in every context and through every save. It is `Sendable`, and it is the way to name an
/// object to another context: `context.existingObject(City.self, with: id)`.
///
/// Encoded (`Codable`) and as `uriRepresentation` an ID carries its store's UUID, so that it can
/// leave the process and come back. Core Data: `NSManagedObjectID`; there are no temporary IDs
/// here.
public struct ObjectID: Sendable, Hashable {
  package let store: StoreIdentity
  package let key: ObjectKey

  /// - Parameter store: the store, or the group of stores one of which has the object.
  package init(store: StoreIdentity, key: ObjectKey) {
    self.store = store.isGroup ? store.member(with: key) : store
    self.key = key
  }
}

extension ObjectID {
  /// The name of the object's entity; nil if this process has not opened the ID's store since it
  /// started. Core Data: `NSManagedObjectID.entity`.
  public var entityName: String? { store.name(of: key.entity) }
}

// MARK: - URI

extension ObjectID {
  /// The scheme of every ID's URI.
  static let scheme = "x-strata"

  /// `x-strata://<store UUID>/<entity number>/<serial>`. Core Data: `uriRepresentation()`.
  public var uriRepresentation: URL {
    var parts = URLComponents()
    parts.scheme = Self.scheme
    parts.host = store.uuid.uuidString
    parts.path = "/\(key.entity.rawValue)/\(key.serial)"
    guard let url = parts.url else {
      stopProgram("an ID's URI has only letters, digits and dashes")
    }
    return url
  }

  /// The ID that `uri` names, or nil if it is not the URI of an ID. Whether such a store is open or
  /// such an object exists is not asked.
  public init?(uriRepresentation uri: URL) {
    let parts = uri.path.split(separator: "/", omittingEmptySubsequences: false)
    guard uri.scheme == Self.scheme, let host = uri.host, let uuid = UUID(uuidString: host),
      parts.count == 3, parts[0].isEmpty, let entity = UInt16(parts[1]), entity > 0,
      let serial = UInt64(parts[2]), serial > 0, serial <= ObjectKey.serialMax
    else { return nil }
    self.init(
      store: StoreIdentity(uuid),
      key: ObjectKey(entity: EntityNumber(rawValue: entity), serial: serial))
  }
}

// MARK: - Codable, CustomStringConvertible

extension ObjectID: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let uri = URL(string: text), let id = ObjectID(uriRepresentation: uri) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "no URI of a Strata object ID")
    }
    self = id
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(uriRepresentation.absoluteString)
  }
}

extension ObjectID: CustomStringConvertible {
  public var description: String { uriRepresentation.absoluteString }

  /// The ID after the name of its entity, or after "object" if the name is unknown: for texts.
  package var named: String { "\(entityName ?? "object") \(self)" }
}
