// SPDX-License-Identifier: Apache-2.0

/// A path as it was written, before it is looked up in an entity: where it begins, and its steps.
package struct PathReference: Sendable {
  /// The object that the path begins at: the element of a condition on a collection; nil for the one
  /// that the request is about.
  package let scope: Scope?
  package let steps: [PathStep]

  package init(scope: Scope? = nil, steps: [PathStep]) {
    self.scope = scope
    self.steps = steps
  }

  package init(scope: Scope? = nil, _ keyPaths: [any AnyKeyPath & Sendable]) {
    self.init(scope: scope, steps: keyPaths.map(PathStep.keyPath))
  }

  /// The steps after the one at `index`; nil if one of them is no key path.
  func keyPaths(after index: Int) -> [any AnyKeyPath & Sendable]? {
    var keyPaths: [any AnyKeyPath & Sendable] = []
    for step in steps[(index + 1)...] {
      guard case .keyPath(let keyPath) = step else { return nil }
      keyPaths.append(keyPath)
    }
    return keyPaths
  }

  /// The path with one more step.
  func appending(_ step: PathStep) -> PathReference {
    PathReference(scope: scope, steps: steps + [step])
  }

  /// A cast says nothing about what it is the end of.
  var withoutLastCast: PathReference {
    guard case .cast? = steps.last else { return self }
    return PathReference(scope: scope, steps: steps.dropLast()).withoutLastCast
  }
}

/// One step of a path, to a property.
package enum PathStep: Sendable {
  /// As Swift has it.
  case keyPath(any AnyKeyPath & Sendable)
  /// As a format string has it.
  case name(String)
  /// On as an object of this class, which the predicate has made sure of.
  case cast(to: EntityClass)

  /// The steps of a key path as text, with points between the names.
  static func names(_ keyPath: String) -> [PathStep] {
    keyPath.split(separator: ".").map { .name(String($0)) }
  }
}

extension PathStep: CustomStringConvertible {
  /// - Complexity: a key path is described by reflection, which takes longer than a query.
  package var description: String {
    switch self {
    case .keyPath(let keyPath): "\(keyPath)"
    case .name(let name): name
    case .cast(let type): type.name
    }
  }
}

/// The place in a predicate where a condition on a collection's elements begins: what tells paths
/// that begin at the element from those that begin further out. Only its identity matters.
package final class Scope: Sendable {
  package init() {}
}
