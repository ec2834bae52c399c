// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import Strata
import StrataStore

/// A store that an earlier version of a program has made, kept as a file for the tests of later
/// versions. Each test works on a copy: the kept file is only read.
///
/// ```swift
/// let golden = GoldenStore(at: url)
/// try golden.withMigratedCopy(to: Present.model(), migratingWith: plan) { container in
///   #expect(try container.root.performAndWait { try $0.count(Present.Zone.all) } == 91)
/// }
/// ```
///
/// To make one, run the earlier version of the program, and keep its file once no process has it
/// open: `PersistentStoreCoordinator.backUp(to:)` writes such a file from a store that is in use.
public struct GoldenStore: Sendable {
  /// The kept file.
  public let url: URL

  /// - Parameter url: the URL of a file that no process writes to.
  public init(at url: URL) { self.url = url }

  /// Migrates a copy of the store, and calls `body` with it. The copy is removed when `body` ends.
  ///
  /// - Parameters:
  ///   - model: the model of the present version of the program.
  ///   - plan: the stages from earlier models; by default none, so that all changes are inferred.
  ///   - removing: the entities, and the properties as `Entity.property`, whose data may be
  ///     deleted.
  ///   - maximumByteCount: the size in bytes that the copy may grow to; nil for 32 GiB.
  /// - Returns: the result of `body`.
  /// - Throws: `StoreError.storeMissing`; the errors of copying; as opening a store with a plan;
  ///   the errors of `body`.
  @discardableResult
  public func withMigratedCopy<Result>(
    to model: ManagedObjectModel, migratingWith plan: MigrationPlan = MigrationPlan([]),
    removing: Set<String> = [], maximumByteCount: Int? = nil,
    _ body: (PersistentContainer) throws -> Result
  ) throws -> Result {
    let folder = try PrivateFolder()
    defer { withExtendedLifetime(folder) {} }
    return try body(container(in: folder, model, plan, removing, maximumByteCount))
  }

  /// Migrates a copy of the store, and calls `body` with it, as the function without `async`.
  @discardableResult
  public func withMigratedCopy<Result>(
    to model: ManagedObjectModel, migratingWith plan: MigrationPlan = MigrationPlan([]),
    removing: Set<String> = [], maximumByteCount: Int? = nil,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (PersistentContainer) async throws -> Result
  ) async throws -> Result {
    let folder = try PrivateFolder()
    defer { withExtendedLifetime(folder) {} }
    return try await body(container(in: folder, model, plan, removing, maximumByteCount))
  }

  private func container(
    in folder: borrowing PrivateFolder, _ model: ManagedObjectModel, _ plan: MigrationPlan,
    _ removing: Set<String>, _ maximumByteCount: Int?
  ) throws -> PersistentContainer {
    let files = FileManager.default
    guard files.fileExists(atPath: url.path) else {
      throw StoreError.storeMissing(path: url.path)
    }
    let copy = URL(fileURLWithPath: folder.path).appendingPathComponent(url.lastPathComponent)
    try files.copyItem(at: url, to: copy)
    // A kept file may be read-only.
    try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy.path)
    return try PersistentContainer(
      at: copy, model: model, migratingWith: plan, removing: removing, durability: .none,
      maximumByteCount: maximumByteCount)
  }
}
