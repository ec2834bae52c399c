// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// A receiver of the objects that a fetch finds. A fetch session is specialized for one type of
/// sink, so that it omits work that the sink does not need.
///
/// ## Isolation
/// It belongs to one fetch.
protocol RowSink {
  /// Whether each object of the result is read. If false, the predicate or the order may still
  /// require reads.
  static var readsRecords: Bool { get }
  /// Whether the records of the result remain in memory until the end of the fetch.
  static var keepsRecords: Bool { get }
  /// Whether the sink receives each row as soon as it is found, because it may stop at any row.
  static var mayStop: Bool { get }
  /// Whether the sink accepts a number of objects without their keys.
  static var countsAlone: Bool { get }

  /// The number of objects received.
  var count: Int { get }

  /// Announces the number of objects that follow.
  mutating func expect(_ count: Int)

  /// Receives the next object of the result.
  ///
  /// - Parameter row: nil if the sink reads no records, or for an index entry of an object that
  ///   does not exist.
  mutating func take(_ key: ObjectKey, _ row: Row?) throws -> ScanStep

  /// Receives a number of objects without their keys.
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

/// Passes the objects of the result on, one at a time. A list of records beside the objects that
/// are created from them is not needed.
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

/// Passes each row to a closure and keeps none, so that the result may have any size. Memory for
/// every row is needed only for an order that no index has, without a limit: the encoded sort keys.
struct VisitSink: RowSink {
  static var mayStop: Bool { true }
  private let visit: (Row) throws -> ScanStep
  private(set) var count = 0

  /// - Parameter visit: receives a row and returns whether to continue.
  init(_ visit: @escaping (Row) throws -> ScanStep) { self.visit = visit }

  mutating func take(_ key: ObjectKey, _ row: Row?) throws -> ScanStep {
    guard let row else { return .more }
    count += 1
    return try visit(row)
  }
}
