// SPDX-License-Identifier: Apache-2.0
import StrataChanges

/// What a fetch is to do with the objects that it finds.
enum FetchDemand {
  /// Looks at one row, and says whether there is to be another.
  typealias Visit = (Row, RowReader) throws -> ScanStep

  /// To collect their keys; records are read where the predicate or the order needs them.
  case keys
  /// To collect their records.
  case records
  /// To show each of them once: nothing is kept, so that the result may be of any size. Only an order
  /// that no index gives needs memory for every row, its encoded sort keys, unless there is a limit.
  case visit(Visit)

  /// Whether each object of the result is read.
  var readsRecords: Bool { if case .keys = self { false } else { true } }

  /// Whether each row is shown as soon as it is found.
  var visits: Bool { if case .visit = self { true } else { false } }

  /// Whether the records of the result stay in memory to its end.
  var keepsRecords: Bool { if case .records = self { true } else { false } }
}
