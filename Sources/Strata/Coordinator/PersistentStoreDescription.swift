// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import StrataStore

/// How a coordinator opens one of several stores. Core Data: `NSPersistentStoreDescription`.
public struct PersistentStoreDescription: Sendable, Hashable {
  /// The URL of the store's file, whose folder must exist; nil for a store in memory.
  public var url: URL?
  /// The name of the store in errors. Nothing of it is in the file.
  public var name: String
  /// The names of the entities whose new objects the store accepts, with the entities that inherit
  /// from them; nil for all entities of the model. Objects that the file has are read in any case.
  /// Core Data: a configuration of the model, which has a name there.
  public var configuration: Set<String>?
  /// The failures that a finished save survives. Without effect for a store in memory.
  public var durability = StoreDurability.full
  /// The size in bytes that the file may grow to; nil for 32 GiB. Without effect for a store in
  /// memory.
  public var maximumByteCount: Int?
  /// How long saves wait for another process; 30 seconds by default, nil for ever. Without effect
  /// for a store in memory.
  public var busyTimeout: Duration? = PersistentStoreCoordinator.defaultBusyTimeout
  /// Whether the store is opened read-only: saves of its objects throw `StoreError.readOnly`, and
  /// it accepts no new ones. Without effect for a store in memory.
  public var isReadOnly = false

  /// Whether the whole file is checked before it is used, also if nothing has written to it since
  /// it was closed in order; false by default. Otherwise the check of such a file comes before the
  /// first save: `Docs/Security.md` names the damage that can be read until then. It takes about a
  /// second for each gigabyte. Without effect if the process has the file open, and for a store in
  /// memory.
  public var alwaysChecksFile = false

  /// A store in a file.
  ///
  /// - Parameters:
  ///   - url: the URL of the file.
  ///   - name: the store's name in errors; nil for the name of the file.
  ///   - configuration: the entities whose new objects it accepts; nil for all.
  ///   - isReadOnly: whether it is opened read-only.
  public init(
    at url: URL, name: String? = nil, configuration: Set<String>? = nil, isReadOnly: Bool = false
  ) {
    self.url = url
    self.name = name ?? url.lastPathComponent
    self.configuration = configuration
    self.isReadOnly = isReadOnly
  }

  /// A store in memory, gone with the last reference to the coordinator.
  ///
  /// - Parameters:
  ///   - name: the store's name in errors.
  ///   - configuration: the entities whose new objects it accepts; nil for all.
  public init(inMemory name: String, configuration: Set<String>? = nil) {
    self.name = name
    self.configuration = configuration
  }

  var options: GroupMemberOptions {
    get throws(StoreError) {
      GroupMemberOptions(
        path: try url?.storePath, name: name, entities: configuration, durability: durability,
        byteCountMax: maximumByteCount, busyTimeout: busyTimeout,
        isReadOnly: url != nil && isReadOnly, ignoresStamp: alwaysChecksFile)
    }
  }
}
