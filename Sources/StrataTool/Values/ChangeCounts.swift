// SPDX-License-Identifier: Apache-2.0
import Strata

/// How many objects a transaction has inserted, updated and deleted.
struct ChangeCounts {
  private(set) var inserted = 0
  private(set) var updated = 0
  private(set) var deleted = 0

  init(_ transaction: HistoryTransaction) {
    for change in transaction.changes {
      switch change.kind {
      case .insert: inserted += 1
      case .update: updated += 1
      case .delete: deleted += 1
      }
    }
  }
}

extension HistoryChange.Kind {
  var word: String {
    switch self {
    case .insert: "insert"
    case .update: "update"
    case .delete: "delete"
    }
  }
}
