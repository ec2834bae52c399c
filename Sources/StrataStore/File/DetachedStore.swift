// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataLMDB
import StrataModel
import StrataRecord

/// A store whose file is not open: all that is needed to open it again.
///
/// ## Isolation
/// Sendable: constant.
struct DetachedStore: Sendable {
  private let path: String
  private let options: EnvironmentOptions
  private let schema: Schema
  private let feed: ChangeFeed
  private let readers: TreeReaderPool
  /// The generation that the file has at least.
  private let generation: UInt64

  /// The parts of an open store whose file is to be replaced by a copy, without the store.
  ///
  /// - Throws: `modelChanged`, `storage`.
  init(replacing opened: OpenStore, options: EnvironmentOptions) throws {
    let generation = try Catalog.generation(
      in: opened.queue.environment.read(), ofVersion: opened.queue.schema.version)
    var options = options
    // The copy was written just now.
    options.isTrusted = true
    self.init(of: opened, options: options, generation: generation)
  }

  /// The parts of an open store, without the store.
  ///
  /// - Parameter generation: the one that the file has at least.
  init(of opened: OpenStore, options: EnvironmentOptions, generation: UInt64) {
    (self.options, self.generation) = (options, generation)
    path = opened.queue.environment.path
    (schema, feed, readers) = (opened.queue.schema, opened.queue.feed, opened.readers)
  }

  /// Opens the file. The feed of the store goes on; its watch is restarted by the caller, because
  /// that may call listeners.
  ///
  /// - Throws: `fileReplaced` if another store, or a former state of this one, has come to the
  ///   path; `damaged`, `storage`.
  func open() throws(StoreError) -> OpenStore {
    let environment: Environment
    do throws(LMDBError) {
      environment = try Environment.open(at: path, options: options, isExchanging: true)
    } catch {
      throw StoreError(error, opening: path)
    }
    let description = try StoredMetadata(of: environment)
    guard description.uuid == schema.store.uuid, description.generation >= generation else {
      throw .fileReplaced(path: path)
    }
    StoreFeeds.move(feed, to: environment)
    return try OpenStore(reopening: environment, schema: schema, readers: readers)
  }
}
