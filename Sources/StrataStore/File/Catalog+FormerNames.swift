// SPDX-License-Identifier: Apache-2.0
import StrataLMDB
import StrataModel

// The former names that the store has carried out.

extension Catalog {
  /// - Throws: `damaged`.
  func formerNames() throws(StoreError) -> FormerNames {
    do {
      return try FormerNames(formerNamesText, of: outline, version: version)
    } catch {
      throw Self.damaged(Name.former.rawValue, "it cannot be decoded")
    }
  }

  /// The former names of a store whose `former` is of its present model; nil if it is not.
  ///
  /// - Throws: `damaged`, `storage`.
  static func knownFormerNames(
    in transaction: Transaction, _ tree: Tree, ofVersion version: UInt16
  ) throws(StoreError) -> FormerNames? {
    guard let text = try bytes(.former, in: transaction, tree) else { return nil }
    do {
      return try FormerNames(known: text, version: version)
    } catch {
      throw damaged(Name.former.rawValue, "it cannot be decoded")
    }
  }

  /// Whether the store has a model, and its data is under the names of the model.
  ///
  /// - Parameter outline: of the model.
  /// - Throws: `damaged`.
  func has(_ model: ManagedObjectModel, _ outline: ModelOutline) throws(StoreError) -> Bool {
    guard self.outline == outline else { return false }
    if !model.hasFormerNamesOfItsOwn { return true }
    let evolution = ModelEvolution(from: outline, try formerNames(), to: model)
    return evolution.mismatches.isEmpty && !evolution.movesNames
  }
}
