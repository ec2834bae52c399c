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
  private let isReadOnly: Bool
  /// The file that must be at the path; nil if the path leads to a copy by then.
  private let file: FileExchange?
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
    self.init(of: opened, options: options, file: nil, generation: generation)
  }

  /// The parts of an open store whose file is to be opened again, without the store.
  init(of opened: OpenStore, options: EnvironmentOptions, file: FileExchange) {
    self.init(of: opened, options: options, file: file, generation: 0)
  }

  private init(
    of opened: OpenStore, options: EnvironmentOptions, file: FileExchange?, generation: UInt64
  ) {
    (self.options, self.file, self.generation) = (options, file, generation)
    isReadOnly = opened.queue.isReadOnly
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
      if let file, try !file.isInPlace { throw .fileReplaced(path: path) }
      environment = try Environment.open(at: path, options: options, isExchanging: true)
    } catch {
      throw StoreError(error, opening: path)
    }
    let description = try StoredMetadata(of: environment)
    guard description.uuid == schema.store.uuid, description.generation >= generation else {
      throw .fileReplaced(path: path)
    }
    StoreFeeds.move(feed, to: environment)
    return try OpenStore(
      reopening: environment, schema: schema, readers: readers, isReadOnly: isReadOnly)
  }
}
