// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// How many characters a text has, as `String.count`: what one sees as one letter is one.
struct TextLengthNode: OperandNode {
  let text: any OperandNode

  func resolved(by resolver: PathResolver) throws(QueryError) -> any Operand {
    let text = try resolver.text(text)
    return Calculation(.number, "\(text).count") { row, reader in
      guard case .string(let text) = try text.value(of: row, reader) else { return .null }
      return .int(Int64(text.count))
    }
  }
}

/// Which of two folded texts comes first, as the raw value of a `ComparisonResult`: -1 for the left
/// one, 0 if they are equal, 1 for the right one; no value if one of them is none.
struct TextOrderNode: OperandNode {
  let left: any OperandNode
  let right: any OperandNode
  let options: TextOptions

  func resolved(by resolver: PathResolver) throws(QueryError) -> any Operand {
    let (left, right) = (try resolver.text(left), try resolver.text(right))
    return Calculation(.number, "order\(options)(\(left), \(right))") { [options] row, reader in
      let left = options.folded(try left.value(of: row, reader))
      let right = options.folded(try right.value(of: row, reader))
      return ValueOrder.order(left, right).map { .int(Int64($0.signum())) } ?? .null
    }
  }
}
