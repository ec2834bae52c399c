// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// How far a save goes.
public enum SaveDestination: Sendable, Hashable {
  /// One level up: to the parent context, in memory, or, from a topmost context, to the disk.
  case parent
  /// Through all ancestors to the disk. Each of them in order is entered and saves all of its
  /// changes, not only those from below.
  case store
}

/// A `save(to: .store)` stopped at an ancestor. The changes below it have been saved up to it and
/// stay there: the ancestor has them as its own unsaved changes, with all its others.
///
/// Resolve the cause in that ancestor, and repeat the save there or from below.
public struct AncestorSaveError: Error, Sendable {
  /// How far above the context that was saved: 1 is its parent.
  public let level: Int
  /// The `name` of the context whose save failed, if it has one.
  public let contextName: String?
  /// The error of its `save()`: mostly a `StoreError`, or `ContextError.deleteDenied`.
  public let underlyingError: any Error
}

extension AncestorSaveError: CustomStringConvertible {
  public var description: String {
    let place = level == 1 ? "the parent" : "the ancestor \(level) levels above"
    let name = contextName.map { " \"\($0)\"" } ?? ""
    return "The save stopped at \(place)\(name): \(underlyingError)"
  }
}

extension AncestorSaveError: LocalizedError {
  /// The error in plain English, as in `description`.
  public var errorDescription: String? { description }
}
