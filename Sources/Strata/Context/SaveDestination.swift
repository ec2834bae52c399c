// SPDX-License-Identifier: Apache-2.0

/// How far a save goes.
public enum SaveDestination: Sendable, Hashable {
  /// One level up: to the parent context, in memory, or, from a topmost context, to the disk.
  case parent
  /// Through all ancestors down to the disk. Each of them is entered in its turn and saves everything
  /// that it holds, not only what came from below.
  case store
}

/// A `save(to: .store)` stopped at an ancestor. What lies below that has been saved up to it and stays
/// there: the ancestor holds it as its own unsaved changes, with everything else of its own.
///
/// The cause can be mended there, and the save repeated there or from below.
public struct AncestorSaveError: Error, Sendable {
  /// How far above the context that was saved: 1 is its parent.
  public let level: Int
  /// The `name` of the context whose save failed, if it has one.
  public let contextName: String?
  /// What its `save()` threw: mostly a `StoreError`, or `ContextError.deleteDenied`.
  public let underlyingError: any Error
}

extension AncestorSaveError: CustomStringConvertible {
  public var description: String {
    "The save stopped at the context \(contextName.map { "\"\($0)\", " } ?? "")level \(level) "
      + "above: \(underlyingError)"
  }
}
