// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// What becomes of the objects that a fetch finds. A fetch session is made for one type of sink, so that
/// what the sink does not ask for is not done.
///
/// ## Isolation
/// One fetch's.
protocol RowSink {
  /// Whether each object of the result is read. If not, the predicate or the order may still need it.
  static var readsRecords: Bool { get }
  /// Whether the records of the result stay in memory to its end.
  static var keepsRecords: Bool { get }
  /// Whether the sink wants each row as soon as it is found, since it may stop at any of them.
  static var mayStop: Bool { get }
  /// Whether objects can be taken by their number alone.
  static var countsAlone: Bool { get }

  /// How many objects were taken.
  var count: Int { get }

  /// Tells how many objects come next.
  mutating func expect(_ count: Int)

  /// Takes the next object of the result.
  ///
  /// - Parameter row: nil if the sink reads no records, or for an entry of an index whose object is gone.
  mutating func take(_ key: ObjectKey, _ row: Row?) throws -> ScanStep

  /// Counts objects whose keys are not asked for.
  mutating func take(count: Int)
}

extension RowSink {
  static var readsRecords: Bool { true }
  static var keepsRecords: Bool { false }
  static var mayStop: Bool { false }
  static var countsAlone: Bool { false }
  mutating func expect(_ count: Int) {}
  mutating func take(count: Int) {}
}

/// Counts the objects of the result.
struct CountSink: RowSink {
  static var readsRecords: Bool { false }
  static var countsAlone: Bool { true }
  private(set) var count = 0

  mutating func take(_ key: ObjectKey, _ row: Row?) -> ScanStep {
    count += 1
    return .more
  }

  mutating func take(count: Int) { self.count += count }
}

/// Collects the keys of the result.
struct KeySink: RowSink {
  static var readsRecords: Bool { false }
  private(set) var keys: [ObjectKey] = []
  var count: Int { keys.count }

  mutating func expect(_ count: Int) { if keys.isEmpty { keys.reserveCapacity(count) } }

  mutating func take(_ key: ObjectKey, _ row: Row?) -> ScanStep {
    keys.append(key)
    return .more
  }
}

/// Collects the keys and records of the result.
struct RecordSink: RowSink {
  static var keepsRecords: Bool { true }
  private(set) var records: [(key: ObjectKey, record: StoredRecord?)] = []
  private var arena = RecordArena()
  var count: Int { records.count }

  init() {}

  mutating func take(_ key: ObjectKey, _ row: Row?) -> ScanStep {
    records.append((key, row?.owned(in: &arena)))
    return .more
  }
}

/// Hands the objects of the result on, one after the other, so that no list of records is kept beside
/// what is made of them.
struct ObjectSink: RowSink {
  static var keepsRecords: Bool { true }
  private let taker: any FetchTaker
  private(set) var count = 0

  init(_ taker: any FetchTaker) { self.taker = taker }

  mutating func expect(_ count: Int) { taker.expect(count) }

  mutating func take(_ key: ObjectKey, _ row: Row?) throws -> ScanStep {
    count += 1
    try taker.take(key, row)
    return .more
  }
}

/// Shows each row once: nothing is kept, so that the result may be of any size. Only an order that no
/// index gives needs memory for every row, its encoded sort keys, unless there is a limit.
struct VisitSink: RowSink {
  static var mayStop: Bool { true }
  private let visit: (Row) throws -> ScanStep
  private(set) var count = 0

  /// - Parameter visit: looks at a row, and says whether there is to be another.
  init(_ visit: @escaping (Row) throws -> ScanStep) { self.visit = visit }

  mutating func take(_ key: ObjectKey, _ row: Row?) throws -> ScanStep {
    guard let row else { return .more }
    count += 1
    return try visit(row)
  }
}
