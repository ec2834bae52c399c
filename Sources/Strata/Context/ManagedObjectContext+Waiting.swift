// SPDX-License-Identifier: Apache-2.0
import StrataChanges
public import StrataStore

// Waiting until a context has merged a save.

extension ManagedObjectContext {
  /// Waits until the context, which merges automatically, has merged the save of a token and all
  /// saves before it, whichever process has made them. For contexts of the main actor, of a
  /// `ContextActor`, and for confined contexts in async code. Core Data has no equivalent.
  ///
  /// ```swift
  /// let token = try container.coordinator.currentHistoryToken()
  /// try await container.viewContext.waitUntilMerged(token)
  /// ```
  ///
  /// It returns at once if the context has merged the save. Otherwise the context takes a new view
  /// and merges what it shows, as `mergeChanges(fromContextDidSave:)` does: observers are notified
  /// before this returns. An object that the context is just saving is merged when that save has
  /// ended; this is the only thing that takes time. Nothing polls.
  ///
  /// A save to a parent context has no token, and needs no waiting: children see it in their next
  /// turn.
  ///
  /// - Parameters:
  ///   - token: from `currentHistoryToken()`, the history, a `RemoteChange`, or another process.
  ///     The store need not keep a history.
  ///   - isolation: the caller's actor, which the default passes.
  /// - Throws: `ContextError.notMergingAutomatically`, also if automatic merging is ended in the
  ///   meantime; `ContextError.pinnedToQueryGeneration`;
  ///   `StoreError.foreignHistoryToken` for a token of another store, or of a commit that the
  ///   store's file does not have; `StoreError` if reading fails; any error of reading a property
  ///   since the last call; `CancellationError`. The context stays usable in each case.
  public func waitUntilMerged(
    _ token: HistoryToken, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    try Task.checkCancellation()
    while let firings = try publisher.firingsUnlessMerged(token) {
      for await _ in firings { break }
      try Task.checkCancellation()
    }
  }
}

extension ContextQueue {
  /// Waits until the queue's context, which merges automatically, has merged the save of a token
  /// and all saves before it, whichever process has made them. Core Data has no equivalent.
  ///
  /// ```swift
  /// try await container.root.save()
  /// try await worker.waitUntilMerged(try container.coordinator.currentHistoryToken())
  /// try await worker.perform { … }  // loaded objects have the values of that save, or later ones
  /// ```
  ///
  /// It takes its place in line, as `perform` does, and returns in its first turn if the context
  /// has merged the save, or can merge it there. An object that the context is just saving is
  /// merged when that save has ended; other blocks run until then. Nothing polls.
  ///
  /// A save to a parent context has no token, and needs no waiting: children see it in their next
  /// turn.
  ///
  /// - Parameters:
  ///   - token: from `currentHistoryToken()`, the history, a `RemoteChange`, or another process.
  ///     The store need not keep a history.
  ///   - isolation: the caller's actor, which the default passes.
  /// - Throws: as `ManagedObjectContext.waitUntilMerged(_:isolation:)`.
  public func waitUntilMerged(
    _ token: HistoryToken, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    while let firings = try await perform({ try $0.publisher.firingsUnlessMerged(token) }) {
      for await _ in firings { break }
      try Task.checkCancellation()
    }
  }
}

extension TurnPublisher {
  /// Merges the changes that the context can see now.
  ///
  /// - Returns: nil if the context has then merged the save of a token, else the firings of its
  ///   trigger from before the merge on, so that none is missed.
  fileprivate func firingsUnlessMerged(_ token: HistoryToken) throws -> AsyncStream<Void>? {
    try reporter.throwDeferredError()
    guard let trigger = merger.trigger else { throw ContextError.notMergingAutomatically }
    if reader.isPinned { throw ContextError.pinnedToQueryGeneration }
    let place = try reader.coordinator.place(of: token)
    if !trigger.isFired, hasMerged(token, inStoreAt: place) {
      // The merge may have been made while a property was read.
      reporter.announceMerges()
      return nil
    }
    let firings = trigger.firings()
    work.encodeEdits()
    announceTurn()
    work.view = nil
    let isPast = try reader.currentView().bookmarks == nil
    reporter.announceMerges()
    try reporter.throwDeferredError()
    if isPast { throw ContextError.pinnedToQueryGeneration }
    guard reader.following.generation(ofStoreAt: place) ?? 0 >= token.generation else {
      throw StoreError.foreignHistoryToken
    }
    return hasMerged(token, inStoreAt: place) ? nil : firings
  }

  private func hasMerged(_ token: HistoryToken, inStoreAt place: Int) -> Bool {
    reader.following.generation(ofStoreAt: place) ?? 0 >= token.generation
      && !merger.hasUnmergedChanges
  }
}

extension PersistentStoreCoordinator {
  /// The place of the store that a token is of.
  ///
  /// - Throws: `StoreError.foreignHistoryToken` if there is none, or if its history shows that the
  ///   token is of a commit that the file does not have.
  fileprivate func place(of token: HistoryToken) throws -> Int {
    guard let place = store.members.firstIndex(where: { $0.uuid == token.storeID }) else {
      throw StoreError.foreignHistoryToken
    }
    do {
      _ = try store.members[place].history(after: token, countMax: 0, byteCountMax: 0)
    } catch StoreError.historyNotKept, StoreError.historyTooOld {
      // Without the transaction, the number of the save decides.
    }
    return place
  }
}
