// SPDX-License-Identifier: Apache-2.0
#if HAS_SQLITE
  import Foundation
  import GRDB

  extension GRDBPeer {
    private typealias Columns = PersonRecord.Columns

    func countScores(below bound: Double) throws -> Int {
      try pool.read { try PersonRecord.filter(Columns.score < bound).fetchCount($0) }
    }

    func countBiographies(with text: String, isCaseless: Bool) throws -> Int {
      try pool.read { db in
        let condition =
          isCaseless ? Columns.bio.like("%\(text)%") : SQL("instr(bio, \(text)) > 0").sqlExpression
        return try PersonRecord.filter(condition).fetchCount(db)
      }
    }

    func countAges(_ ages: Range<Int>) throws -> Int {
      try pool.read { try PersonRecord.filter(Self.isIn(ages)).fetchCount($0) }
    }

    func sumAges(_ ages: Range<Int>) throws -> Int {
      try pool.read { db in
        try PersonRecord.filter(Self.isIn(ages)).select(sum(Columns.age), as: Int.self)
          .fetchOne(db) ?? 0
      }
    }

    private static func isIn(_ ages: Range<Int>) -> SQLExpression {
      Columns.age >= ages.lowerBound && Columns.age < ages.upperBound
    }

    func fetchIDsByAge(after offset: Int) throws -> () -> UInt64 {
      let ids = try pool.read { db in
        try PersonRecord.order(Columns.age, Columns.id).limit(50, offset: offset)
          .select(Columns.id, as: Int64.self).fetchAll(db)
      }
      return {
        ids.enumerated().reduce(0) { $0 &+ UInt64($1.offset + 1) &* UInt64($1.element) }
      }
    }

    func fetchLeastScores() throws -> UInt64 {
      let found = try pool.read { db in
        try PersonRecord.order(Columns.score, Columns.id).limit(50).fetchAll(db)
      }
      return found.enumerated().reduce(0) { sum, item in
        sum &+ UInt64(item.offset + 1)
          &* personSum(age: item.element.age, name: item.element.name)
      }
    }

    func makeReader() -> any ThreadReader { GRDBReader(pool) }
  }

  /// Reads by a pool that all threads share, as GRDB's guides have it.
  private final class GRDBReader: ThreadReader {
    private let pool: DatabasePool

    init(_ pool: DatabasePool) { self.pool = pool }

    func countIDs(named name: String) throws -> Int {
      try pool.read { db in
        try GRDBPeer.PersonRecord.filter(GRDBPeer.PersonRecord.Columns.name == name)
          .select(GRDBPeer.PersonRecord.Columns.id, as: Int64.self).fetchAll(db)
      }.count
    }

    func sumPersons(named name: String) throws -> UInt64 {
      try pool.read { db in
        try GRDBPeer.PersonRecord.filter(GRDBPeer.PersonRecord.Columns.name == name).fetchAll(db)
      }.reduce(0) { $0 &+ personSum(age: $1.age, name: $1.name) }
    }

    func close() {}
  }
#endif
