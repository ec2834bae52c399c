// SPDX-License-Identifier: Apache-2.0
#if HAS_SQLITE
  import CPeople
  import Foundation
  import GRDB

  /// GRDB with SQL in statements that are prepared once, and rows that are decoded by position
  /// instead of by Codable: the way that its guide to performance recommends.
  final class GRDBCachedPeer: GRDBPeer {
    private var rows: [PersonRow] = []

    private struct PersonRow: FetchableRecord {
      let id: Int64, name: String, email: String, age: Int, score: Double, created: Date
      let bio: String, companyId: Int64?

      init(row: Row) {
        (id, name, email, age) = (row[0], row[1], row[2], row[3])
        (score, created, bio, companyId) = (row[4], row[5], row[6], row[7])
      }
    }

    private func persons(
      _ db: Database, _ condition: String, _ arguments: StatementArguments
    ) throws -> [PersonRow] {
      let statement = try db.cachedStatement(sql: "SELECT * FROM person " + condition)
      return try PersonRow.fetchAll(statement, arguments: arguments)
    }

    override func forget() {
      super.forget()
      rows = []
    }

    // MARK: - Writing

    override func insert(_ serials: ClosedRange<Int>, perSave: Int) throws {
      for first in stride(from: serials.lowerBound, through: serials.upperBound, by: perSave) {
        try pool.write { db in
          if first == 1 {
            let company = try db.cachedStatement(sql: "INSERT INTO company VALUES (?, ?)")
            for (id, name) in people.companies.enumerated().dropFirst() {
              try company.execute(arguments: [Int64(id), name])
            }
          }
          for serial in first...min(first + perSave - 1, serials.upperBound) {
            try Self.insert(serial, people, db)
          }
        }
      }
    }

    private static func insert(_ serial: Int, _ people: People, _ db: Database) throws {
      let person = people.persons[serial]
      let company = person.company == 0 ? nil : Int64(person.company)
      try db.cachedStatement(sql: "INSERT INTO person VALUES (?, ?, ?, ?, ?, ?, ?, ?)").execute(
        arguments: [
          Int64(serial), person.name, person.email, person.age, person.score, person.created,
          person.bio, company,
        ])
    }

    override func makeSaver() -> @Sendable (Int) throws -> Void {
      { [pool, people] serial in
        try pool!.write { try Self.insert(serial, people, $0) }
      }
    }

    private static let raise = "UPDATE person SET score = score + 1 WHERE id = ?"

    override func makeChanger() -> @Sendable (Int) throws -> Void {
      { [pool, people] step in
        try pool!.write { db in
          let statement = try db.cachedStatement(sql: Self.raise)
          for index in 0..<100 {
            let id = 1 + people_mix(UInt64(step * 100 + index)) % UInt64(people.scale)
            try statement.execute(arguments: [Int64(id)])
          }
        }
      }
    }

    override func makeSingleChanger(_ serials: [UInt32]) -> (Int) throws -> Void {
      { [pool] index in
        try pool!.write { db in
          try db.cachedStatement(sql: Self.raise)
            .execute(arguments: [Int64(serials[index % serials.count])])
        }
      }
    }

    override func raiseScores() throws {
      try pool.write { db in
        let statement = try db.cachedStatement(sql: "UPDATE person SET score = ? WHERE id = ?")
        for row in try persons(db, "", []) {
          try statement.execute(arguments: [row.score + 1, row.id])
        }
      }
    }

    override func shiftAges() throws {
      try pool.write { db in
        let statement = try db.cachedStatement(sql: "UPDATE person SET age = ? WHERE id = ?")
        for row in try persons(db, "", []) {
          try statement.execute(arguments: [(row.age + 7_919) % age_bound, row.id])
        }
      }
    }

    override func deleteOneByOne(sparing spared: Int) throws {
      try pool.write { db in
        let statement = try db.cachedStatement(sql: "DELETE FROM person WHERE id = ?")
        for row in try persons(db, "", []) {
          if spared > 0, row.id.isMultiple(of: Int64(spared)) { continue }
          try statement.execute(arguments: [row.id])
        }
      }
    }

    // MARK: - Reading

    override func readByID(_ serials: [UInt32], perTurn: Int) throws -> UInt64 {
      var sum: UInt64 = 0
      for first in stride(from: 0, to: serials.count, by: perTurn) {
        try pool.read { db in
          let statement = try db.cachedStatement(sql: "SELECT * FROM person WHERE id = ?")
          for serial in serials[first..<min(first + perTurn, serials.count)] {
            guard let row = try PersonRow.fetchOne(statement, arguments: [Int64(serial)]) else {
              continue
            }
            sum &+=
              personSum(age: row.age, name: row.name)
              &+ row.created.timeIntervalSince1970.bitPattern
            rows.append(row)
          }
        }
      }
      return sum
    }

    override func fetchAll() throws -> UInt64 {
      rows = try pool.read { try persons($0, "", []) }
      return rows.reduce(0) { $0 &+ UInt64($1.age) &+ UInt64($1.name.utf8.count) }
    }

    override func fetchByName(_ names: [UInt32]) throws -> UInt64 {
      try pool.read { db in
        var sum: UInt64 = 0
        for name in names {
          let found = try persons(db, "WHERE name = ?", [People.name(Int(name))])
          for row in found { sum &+= personSum(age: row.age, name: row.name) }
          rows += found
        }
        return sum
      }
    }

    override func fetchIDsByName(_ names: [UInt32]) throws -> () -> UInt64 {
      let ids = try pool.read { db in
        let statement = try db.cachedStatement(sql: "SELECT id FROM person WHERE name = ?")
        return try names.map { name in
          try Int64.fetchAll(statement, arguments: [People.name(Int(name))])
        }
      }
      return { ids.joined().reduce(0) { $0 &+ UInt64($1) } }
    }

    override func fetchByAge(_ lows: [UInt32], width: Int) throws -> UInt64 {
      try fetchRanges(lows, width, "ORDER BY age, id LIMIT 50")
    }

    override func fetchByAgeSortedByName(_ lows: [UInt32], width: Int) throws -> UInt64 {
      try fetchRanges(lows, width, "ORDER BY name, id LIMIT 50")
    }

    private func fetchRanges(_ lows: [UInt32], _ width: Int, _ order: String) throws -> UInt64 {
      try pool.read { db in
        var sum: UInt64 = 0
        for low in lows {
          let found = try persons(
            db, "WHERE age >= ? AND age < ? " + order, [Int(low), Int(low) + width])
          for (place, row) in found.enumerated() {
            sum &+= UInt64(place + 1) &* personSum(age: row.age, name: row.name)
          }
          rows += found
        }
        return sum
      }
    }

    override func hop() throws -> UInt64 {
      try pool.read { db in
        let statement = try db.cachedStatement(
          sql: "SELECT company.name FROM person JOIN company ON company.id = person.companyId")
        let names = try String.fetchCursor(statement)
        var sum: UInt64 = 0
        while let name = try names.next() { sum &+= nameSum(name) }
        return sum
      }
    }
  }
#endif
