// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// `path.hasPrefix(text)`, `hasSuffix` and `contains`. Core Data: BEGINSWITH, ENDSWITH, CONTAINS.
package struct TextMatch: OperatorNode {
  var left: any OperandNode
  let part: TextPart
  let right: any OperandNode
  let options: TextOptions

  package init(
    _ left: any OperandNode, _ part: TextPart, _ right: any OperandNode, _ options: TextOptions = []
  ) {
    self.left = left
    self.part = part
    self.right = right
    self.options = options
  }

  package var extent: TreeExtent { left.extent.beside(right.extent).enclosed }

  package var constantTerm: ConstantTerm? {
    guard options.isEmpty, let keyPath = left.keyPath, let constant = right.constant else {
      return nil
    }
    return ConstantTerm(keyPath: keyPath, operation: .match(part), constant: constant.value)
  }

  package func resolved(by resolver: PathResolver) throws(QueryError) -> any Condition {
    // `cities CONTAINS %@`: whether an object is a member.
    if part == .infix, options.isEmpty, let path = resolver.bound(left) as? PathNode,
      case .collection = try resolver.resolve(path.path)
    {
      return try QuantifiedOperator(.any, Comparison(path, .equal, right)).resolved(by: resolver)
    }
    let left = try resolver.text(left)
    let right = try right.resolved(by: resolver)
    guard let constant = right.constant else {
      try right.requireKind(.text)
      return Question("\(left) \(part.rawValue)\(options) \(right)") {
        [part, options] row, reader in
        guard case .string(let text) = try left.value(of: row, reader),
          case .string(let other) = try right.value(of: row, reader)
        else { return false }
        return part.isFound(options.folded(other), in: options.folded(text))
      }
    }
    guard case .string(let text) = constant.value else {
      guard constant.isNil else { throw left.mismatch(with: constant) }
      return Verdict(isTrue: false)
    }
    return left.condition(TextMatchTest(part: part, text: TextBytes(text, options)))
  }
}
