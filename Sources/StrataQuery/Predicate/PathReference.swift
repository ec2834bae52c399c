// SPDX-License-Identifier: Apache-2.0

/// A path before it is resolved in an entity: its origin and its steps.
package struct PathReference: Sendable {
  /// The scope of the element at which the path begins; nil if the path begins at the object that
  /// the request fetches.
  package let scope: Scope?
  package let steps: [PathStep]

  /// The maximum number of steps.
  package static let stepCountMax = 64

  package init(scope: Scope? = nil, steps: [PathStep]) {
    self.scope = scope
    self.steps = steps
  }

  package init(scope: Scope? = nil, _ keyPaths: [any AnyKeyPath & Sendable]) {
    self.init(scope: scope, steps: keyPaths.map(PathStep.keyPath))
  }

  /// Returns the steps after the one at `index`; nil if one of them is not a key path.
  func keyPaths(after index: Int) -> [any AnyKeyPath & Sendable]? {
    let rest = steps[(index + 1)...]
    let keyPaths = rest.compactMap { if case .keyPath(let keyPath) = $0 { keyPath } else { nil } }
    return keyPaths.count == rest.count ? keyPaths : nil
  }

  /// Requires that the path is within the limit. Resolving takes a look-up and perhaps a level of
  /// the stack for each step.
  ///
  /// - Throws: `QueryError.tooManySteps`.
  func requireLength() throws(QueryError) {
    if steps.count > Self.stepCountMax { throw .tooManySteps(maximum: Self.stepCountMax) }
  }

  /// Returns the path with one more step.
  func appending(_ step: PathStep) -> PathReference {
    PathReference(scope: scope, steps: steps + [step])
  }

  /// The path without casts at its end. A cast does not change the value at the end of a path.
  var withoutLastCast: PathReference {
    guard case .cast? = steps.last else { return self }
    return PathReference(scope: scope, steps: steps.dropLast()).withoutLastCast
  }
}

/// One step of a path, to a property.
package enum PathStep: Sendable {
  /// A step from a Swift key path.
  case keyPath(any AnyKeyPath & Sendable)
  /// A step from a format string.
  case name(String)
  /// A cast of the object to this class, which a guard of the predicate has checked.
  case cast(to: EntityClass)

  /// Returns the steps of a key path in text form, with points between the names. No property has
  /// an empty name, so "a..b" is a path to an unknown property.
  static func names(_ keyPath: String) -> [PathStep] {
    keyPath.split(separator: ".", omittingEmptySubsequences: false).map { .name(String($0)) }
  }
}

extension PathStep: CustomStringConvertible {
  /// - Complexity: reflection describes a key path, which takes longer than a query.
  package var description: String {
    switch self {
    case .keyPath(let keyPath): "\(keyPath)"
    case .name(let name): name.isEmpty ? "“”" : name
    case .cast(let type): type.name
    }
  }
}

/// The scope of a condition on a collection's elements. Paths that begin at the element have this
/// scope; paths that begin further outside have another one. Only the identity of the instance
/// matters.
///
/// ## Isolation
/// Sendable and without state.
package final class Scope: Sendable {
  package init() {}
}
