// SPDX-License-Identifier: Apache-2.0
package import StrataChanges
import StrataModel
import StrataRecord

extension RowPlan {
  /// Executes the plan and returns its explanation: how the objects were found that the rows are
  /// computed from.
  ///
  /// - Throws: errors of the store.
  package func explanation(in view: ReadView) throws -> QueryExplanation {
    let trace = RowTrace()
    var rowCount = 0
    try fetch(in: view, trace) { _ in
      rowCount += 1
      return .more
    }
    return QueryExplanation(
      entity: objects.entity.description.name, answer: .rows, plan: trace.step,
      entriesRead: trace.reads.entries, recordsRead: trace.reads.records, rowsReturned: rowCount)
  }
}
