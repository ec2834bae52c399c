// SPDX-License-Identifier: Apache-2.0
package import StrataChanges
import StrataLMDB

extension StoreView {
  package func changedKeys(
    of generations: ClosedRange<UInt64>, ofStoreAt place: Int
  ) throws -> [ChangedKeys]? {
    do {
      return try RecentChanges(in: transaction)?.keys(of: generations, newest: generation)
    } catch {
      throw StoreError(error, tree: Trees.catalogName)
    }
  }
}
