// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// The number of characters of a text, as `String.count`: one for each extended grapheme cluster.
struct TextLengthNode: OperandNode {
  private let text: any OperandNode
  let extent: TreeExtent

  init(_ text: any OperandNode) {
    self.text = text
    extent = text.extent.enclosed
  }

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
  private let left: any OperandNode
  private let right: any OperandNode
  private let options: TextOptions
  let extent: TreeExtent

  init(_ left: any OperandNode, _ right: any OperandNode, _ options: TextOptions) {
    self.left = left
    self.right = right
    self.options = options
    extent = left.extent.beside(right.extent).enclosed
  }

  func resolved(by resolver: PathResolver) throws(QueryError) -> any Operand {
    let (left, right) = (try resolver.text(left), try resolver.text(right))
    return Calculation(.number, "order\(options)(\(left), \(right))") { [options] row, reader in
      let left = options.folded(try left.value(of: row, reader))
      let right = options.folded(try right.value(of: row, reader))
      return ValueOrder.order(left, right).map { .int(Int64($0.signum())) } ?? .null
    }
  }
}
