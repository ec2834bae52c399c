// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// The number of characters of a text, as `String.count`: one for each extended grapheme cluster.
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

/// The order of two folded texts as the raw value of a `ComparisonResult`: -1 if the left one comes
/// first, 0 if they are equal, 1 if the right one comes first; nil if one of them is nil.
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
