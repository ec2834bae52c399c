// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// The number of members of a collection. Core Data: `@count`.
struct CountNode: OperandNode {
  private let collection: CollectionNode

  init(_ collection: CollectionNode) { self.collection = collection }

  var extent: TreeExtent { collection.extent.enclosed }

  func resolved(by resolver: PathResolver) throws(QueryError) -> any Operand {
    let collection = try collection.resolved(by: resolver)
    return Calculation(.number, "\(collection).count") { row, reader in
      .int(Int64(try collection.count(from: row, reader)))
    }
  }
}
