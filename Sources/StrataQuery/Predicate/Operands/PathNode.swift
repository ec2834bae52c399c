// SPDX-License-Identifier: Apache-2.0

/// A path as an operand: the property at its end, or the object itself if there are no steps.
struct PathNode: OperandNode {
  let path: PathReference

  init(_ path: PathReference) { self.path = path }

  var extent: TreeExtent { .leaf }

  var isPath: Bool { true }

  var keyPath: (any AnyKeyPath & Sendable)? {
    guard path.scope == nil, path.steps.count == 1, case .keyPath(let step) = path.steps[0] else {
      return nil
    }
    return step
  }

  func resolved(by resolver: PathResolver) throws(QueryError) -> any Operand {
    switch try resolver.resolve(path) {
    case .property(let path): return PathOperand(path: path)
    case .object(let depth): return IdentityOperand(depth: depth)
    case .collection(let collection, _): throw collection.isUnfit
    }
  }
}
