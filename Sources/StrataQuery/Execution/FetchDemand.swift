// SPDX-License-Identifier: Apache-2.0
import StrataChanges
package import StrataModel
package import StrataRecord

/// What a fetch is to do with the objects that it finds.
enum FetchDemand {
  /// Looks at one row, and says whether there is to be another.
  typealias Visit = (Row) throws -> ScanStep

  /// To collect their keys; records are read where the predicate or the order needs them.
  case keys
  /// To collect their records.
  case records
  /// To hand them to who makes objects of them, one after the other.
  case objects(any FetchTaker)
  /// To show each of them once: nothing is kept, so that the result may be of any size. Only an order
  /// that no index gives needs memory for every row, its encoded sort keys, unless there is a limit.
  case visit(Visit)

  /// Whether each object of the result is read.
  var readsRecords: Bool { if case .keys = self { false } else { true } }

  /// Whether each row is shown as soon as it is found.
  var visits: Bool { if case .visit = self { true } else { false } }

  /// Whether the records of the result stay in memory to its end.
  var keepsRecords: Bool {
    switch self {
    case .records, .objects: true
    case .keys, .visit: false
    }
  }
}

/// Takes what a fetch finds, one object after the other in the order of the result, while the fetch is
/// under way: so that no list of records is kept beside the objects made of them.
///
/// - Important: it must not change the read view of the fetch.
package protocol FetchTaker: AnyObject {
  /// So many objects come next.
  func expect(_ count: Int)

  /// Takes an object whose record lies in the store, checked. The bytes are valid during the call.
  func take(_ key: ObjectKey, generation: UInt64, copying bytes: UnsafeRawBufferPointer) throws

  /// Takes an object with its record; nil for an entry of an index whose object is gone.
  func take(_ key: ObjectKey, _ record: StoredRecord?) throws
}
