// SPDX-License-Identifier: Apache-2.0
#if HAS_SQLITE
  import CPeople
  import Foundation
  import GRDB

  extension GRDBPeer {
    func digest() throws -> UInt64 {
      try pool.read { db in try Self.recordsDigest(db) &+ Self.entriesDigest(db) }
    }

    private static func recordsDigest(_ db: Database) throws -> UInt64 {
      let companies = try Dictionary(
        uniqueKeysWithValues: CompanyRecord.fetchAll(db).map { ($0.id, textSum($0.name)) })
      let records = try PersonRecord.fetchCursor(db)
      var sum: UInt64 = 0
      while let record = try records.next() {
        sum &+= person_digest(
          textSum(record.name), textSum(record.email), textSum(record.bio), Int64(record.age),
          record.score, record.created.timeIntervalSince1970,
          record.companyId.flatMap { companies[$0] } ?? 0)
      }
      return sum
    }

    /// Each statement names its index: SQLite refuses it if it cannot use that index.
    private static func entriesDigest(_ db: Database) throws -> UInt64 {
      var sum: UInt64 = 0
      func add(_ way: UInt64, _ sql: String, _ value: (Row) -> UInt64) throws {
        let rows = try Row.fetchCursor(db, sql: sql)
        while let row = try rows.next() {
          let email: String = row[1]
          sum &+= entry_digest(way, value(row), textSum(email))
        }
      }
      try add(
        UInt64(under_name),
        "SELECT name, email FROM person INDEXED BY person_on_name WHERE name >= ''"
      ) { textSum($0[0] as String) }
      try add(
        UInt64(under_age_bucket),
        "SELECT age, email FROM person INDEXED BY person_on_age WHERE age >= 0"
      ) { UInt64($0[0] as Int / age_bucket) }
      try add(
        UInt64(under_company),
        """
        SELECT company.name, email FROM company CROSS JOIN person
        INDEXED BY person_on_companyId ON person.companyId = company.id
        """
      ) { textSum($0[0] as String) }
      return sum
    }
  }
#endif
