// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataStore

/// A way into a context, from any isolation.
protocol ContextEntrance: AnyObject, Sendable {
  /// Runs `body` as a turn of the context.
  func enter<T: Sendable>(
    _ body: @Sendable (ManagedObjectContext) throws -> T
  ) async throws -> T
}

/// A context and its ancestors, which are saved together.
///
/// ## Isolation
/// The caller's.
struct SavedLevels {
  private enum Level {
    /// A context of the caller's isolation.
    case here(ManagedObjectContext)
    case there(any ContextEntrance)
  }

  /// From the saver up.
  private var levels: [Level] = []

  /// - Throws: `ContextError.ancestorUnreachable`.
  init(from queue: ContextQueue) throws(ContextError) {
    levels = [.there(queue)]
    try addAncestors(of: queue.layer)
  }

  /// - Throws: `ContextError.ancestorUnreachable`.
  init(from context: ManagedObjectContext) throws(ContextError) {
    var top = context
    levels = [.here(top)]
    while let parent = top.reader.sameIsolationParent {
      levels.append(.here(parent))
      top = parent
    }
    try addAncestors(of: top.layer)
  }

  private mutating func addAncestors(of layer: ContextLayer) throws(ContextError) {
    var next = layer.parent
    while let layer = next {
      guard let entrance = layer.ownerKeeper as? any ContextEntrance else {
        throw .ancestorUnreachable(level: levels.count)
      }
      levels.append(.there(entrance))
      next = layer.parent
    }
  }

  /// Saves all levels.
  ///
  /// - Parameters:
  ///   - begun: a save that the first level has joined, unless it is still to wait for `earlier`.
  ///   - earlier: another save of the first level.
  /// - Throws: the saver's errors; `AncestorSaveError`.
  func save(
    _ begun: ThroughSave, after earlier: PendingSave?, isolation: isolated (any Actor)?
  ) async throws {
    var (whole, hasJoined) = (begun, earlier == nil)
    await earlier?.finished()
    while true {
      do {
        for level in levels.indices where level > 0 || !hasJoined {
          if whole.error != nil { break }
          try await enter(level, isolation) { [whole] in try $0.saving.join(whole, level: level) }
        }
      } catch {
        whole.fail(error)
      }
      for part in whole.parts { await part.save.finished() }
      // From the topmost down: a level then reads its parent as saved.
      for level in levels.indices.reversed() {
        try? await run(levels[level], isolation) { [whole] in
          $0.saving.finish(whole, level: level)
        }
      }
      switch whole.error {
      case nil: return
      case is ThroughSave.Withdrawn: (whole, hasJoined) = (ThroughSave(), false)
      case let error?: throw attributed(error, whole)
      }
    }
  }

  /// Runs `body` in a level, again after each save for which it is to wait.
  ///
  /// No context is entered while it waits. Levels are joined from the saver up, so a save waits
  /// only for saves that have joined more levels: none waits for itself.
  ///
  /// - Throws: `LevelError`.
  private func enter(
    _ level: Int, _ isolation: isolated (any Actor)?,
    _ body: @Sendable (ManagedObjectContext) throws -> PendingSave?
  ) async throws {
    while true {
      let outcome = try await run(levels[level], isolation) { context in
        Result { try body(context) }.mapError {
          $0 as? LevelError ?? LevelError(level, context.name, $0)
        }
      }
      guard let earlier = try outcome.get() else { return }
      await earlier.finished()
    }
  }

  private func run<T: Sendable>(
    _ level: Level, _ isolation: isolated (any Actor)?,
    _ body: @Sendable (ManagedObjectContext) throws -> T
  ) async throws -> T {
    switch level {
    case .here(let context): try body(context)
    case .there(let entrance): try await entrance.enter(body)
    }
  }

  /// A refusal as the saver's own error, or as the error of the topmost ancestor whose changes it
  /// is about: the save is refused until these are mended, whatever becomes of the saver's.
  private func attributed(_ error: any Error, _ whole: ThroughSave) -> any Error {
    let levelError = error as? LevelError
    if let levelError, levelError.isOfLevel { return levelError.forSaver }
    let cause = levelError?.error ?? error
    guard let refusal = cause as? StoreError else { return cause }
    let parts = whole.parts
    let own = parts.first { $0.level == 0 }?.save.changeSet
    let blamed = parts.last {
      $0.level > 0 && refusal.isAbout($0.save.changeSet, beside: own)
    }
    return blamed.map { LevelError($0.level, $0.save.changeSet.contextName, refusal).forSaver }
      ?? refusal
  }
}

extension StoreError {
  /// Whether a save was refused because of an ancestor's changes: for a conflict, of the properties
  /// in conflict; otherwise of objects that the saver has not changed.
  ///
  /// - Parameter saver: nil without changes of the saver.
  fileprivate func isAbout(_ ancestor: ChangeSet, beside saver: ChangeSet?) -> Bool {
    if case .conflicts(let conflicts) = self {
      return conflicts.contains { conflict in
        let key = conflict.objectID.key
        guard let change = ancestor.changes[key] else { return false }
        guard let contested = conflict.contested else { return true }
        // Others have changed other properties.
        if contested.isEmpty { return saver?.changes.index(of: key) == nil }
        return !contested.isDisjoint(with: change.slots)
      }
    }
    let keys = refusedObjects.lazy.map(\.key)
    return keys.contains { ancestor.changes.index(of: $0) != nil }
      && !keys.contains { saver?.changes.index(of: $0) != nil }
  }

  /// The objects about which a save was refused. Empty if it was refused for another reason.
  fileprivate var refusedObjects: [ObjectID] {
    switch self {
    case .mergePolicyMistakes(let mistakes): mistakes.map(\.objectID)
    case .danglingLinks(let links): links.map(\.owner)
    case .uniquenessViolations(let violations): violations.map(\.objectID)
    case .countViolations(let violations): violations.map(\.objectID)
    case .objectTooLarge(let objectID, _): [objectID]
    default: []
    }
  }
}

/// An error in a save through several levels.
struct LevelError: Error {
  /// Nil for an error that is about the changes of several levels.
  private let level: Int?
  private let contextName: String?
  let error: any Error

  /// The error of one level.
  init(_ level: Int, _ contextName: String?, _ error: any Error) {
    (self.level, self.contextName, self.error) = (level, contextName, error)
  }

  init(ofChanges error: any Error) {
    (level, contextName, self.error) = (nil, nil, error)
  }

  var isOfLevel: Bool { level != nil }

  /// The saver's own error as it is, and an ancestor's error as such.
  var forSaver: any Error {
    guard let level, level > 0 else { return error }
    return AncestorSaveError(level: level, contextName: contextName, underlyingError: error)
  }
}
