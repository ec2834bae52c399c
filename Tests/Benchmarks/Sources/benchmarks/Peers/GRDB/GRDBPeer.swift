// SPDX-License-Identifier: Apache-2.0
#if HAS_SQLITE
  import CPeople
  import Foundation
  import GRDB

  /// GRDB 7 with records as its guides have them: Codable structs, a pool, associations, and
  /// `updateChanges`. Synchronous FULL, which a pool has to be told after it is open.
  ///
  /// `GRDBCachedPeer` does the same work with statements that are prepared once.
  class GRDBPeer: Peer {
    let people: People
    private let file: URL
    private(set) var pool: DatabasePool!
    private var held: [PersonRecord] = []

    struct CompanyRecord: Codable, Identifiable, FetchableRecord, PersistableRecord {
      static let databaseTableName = "company"
      var id: Int64
      var name: String
    }

    struct PersonRecord: Codable, Identifiable, FetchableRecord, PersistableRecord {
      static let databaseTableName = "person"
      static let company = belongsTo(CompanyRecord.self)
      var id: Int64
      var name: String
      var email: String
      var age: Int
      var score: Double
      var created: Date
      var bio: String
      var companyId: Int64?

      enum Columns {
        static let id = Column(CodingKeys.id)
        static let name = Column(CodingKeys.name)
        static let age = Column(CodingKeys.age)
        static let score = Column(CodingKeys.score)
        static let bio = Column(CodingKeys.bio)
      }
    }

    private struct NotDurable: Error {
      let synchronous: Int?
    }

    required init(_ people: People, at file: URL) {
      self.people = people
      self.file = file
    }

    func open(_ durability: Durability) throws {
      var configuration = Configuration()
      // As many as the threads of R/8; the default is 5.
      configuration.maximumReaderCount = 8
      pool = try DatabasePool(path: file.path, configuration: configuration)
      let (name, number) = durability == .synced ? ("FULL", 2) : ("OFF", 0)
      try pool.writeWithoutTransaction { db in
        try db.execute(sql: "PRAGMA synchronous = \(name)")
        let synchronous = try Int.fetchOne(db, sql: "PRAGMA synchronous")
        guard synchronous == number else { throw NotDurable(synchronous: synchronous) }
      }
      var migrator = DatabaseMigrator()
      migrator.registerMigration("people") { db in
        try db.create(table: "company") { table in
          table.primaryKey("id", .integer)
          table.column("name", .text).notNull()
        }
        try db.create(table: "person") { table in
          table.primaryKey("id", .integer)
          table.column("name", .text).notNull().indexed()
          table.column("email", .text).notNull()
          table.column("age", .integer).notNull().indexed()
          table.column("score", .double).notNull()
          table.column("created", .datetime).notNull()
          table.column("bio", .text).notNull()
          table.belongsTo("company")
        }
      }
      try migrator.migrate(pool)
    }

    func close() throws {
      forget()
      // The rest of the log is not a second copy of the data when sizes are compared.
      try pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
      try pool.close()
      pool = nil
    }

    // MARK: - Writing

    func insert(_ serials: ClosedRange<Int>, perSave: Int) throws {
      for first in stride(from: serials.lowerBound, through: serials.upperBound, by: perSave) {
        try pool.write { db in
          if first == 1 {
            for (id, name) in people.companies.enumerated().dropFirst() {
              try CompanyRecord(id: Int64(id), name: name).insert(db)
            }
          }
          for serial in first...min(first + perSave - 1, serials.upperBound) {
            try Self.record(people, serial).insert(db)
          }
        }
      }
    }

    func makeSaver() -> @Sendable (Int) throws -> Void {
      { [pool, people] serial in
        try pool!.write { try Self.record(people, serial).insert($0) }
      }
    }

    func makeChanger() -> @Sendable (Int) throws -> Void {
      { [pool, people] step in
        try pool!.write { db in
          for index in 0..<100 {
            let id = 1 + people_mix(UInt64(step * 100 + index)) % UInt64(people.scale)
            var record = try PersonRecord.find(db, id: Int64(id))
            try record.updateChanges(db) { $0.score += 1 }
          }
        }
      }
    }

    static func record(_ people: People, _ serial: Int) -> PersonRecord {
      let person = people.persons[serial]
      return PersonRecord(
        id: Int64(serial), name: person.name, email: person.email, age: person.age,
        score: person.score, created: person.created, bio: person.bio,
        companyId: person.company == 0 ? nil : Int64(person.company))
    }

    func makeSingleChanger(_ serials: [UInt32]) throws -> (Int) throws -> Void {
      var records = try pool.read { db in
        try serials.map { try PersonRecord.find(db, id: Int64($0)) }
      }
      return { [pool] index in
        try pool!.write { db in
          _ = try records[index % serials.count].updateChanges(db) { $0.score += 1 }
        }
      }
    }

    func raiseScores() throws {
      try pool.write { db in
        for var record in try PersonRecord.fetchAll(db) {
          try record.updateChanges(db) { $0.score += 1 }
        }
      }
    }

    func shiftAges() throws {
      try pool.write { db in
        for var record in try PersonRecord.fetchAll(db) {
          try record.updateChanges(db) { $0.age = ($0.age + 7_919) % age_bound }
        }
      }
    }

    func deleteOneByOne(sparing spared: Int) throws {
      try pool.write { db in
        for record in try PersonRecord.fetchAll(db) {
          if spared > 0, record.id.isMultiple(of: Int64(spared)) { continue }
          try record.delete(db)
        }
      }
    }

    func deleteAtOnce() throws { _ = try pool.write { try PersonRecord.deleteAll($0) } }

    // MARK: - Reading

    func forget() { held = [] }

    func readByID(_ serials: [UInt32], perTurn: Int) throws -> UInt64 {
      var sum: UInt64 = 0
      for first in stride(from: 0, to: serials.count, by: perTurn) {
        try pool.read { db in
          for serial in serials[first..<min(first + perTurn, serials.count)] {
            let record = try PersonRecord.find(db, id: Int64(serial))
            sum &+=
              personSum(age: record.age, name: record.name)
              &+ record.created.timeIntervalSince1970.bitPattern
            held.append(record)
          }
        }
      }
      return sum
    }

    func fetchAll() throws -> UInt64 {
      held = try pool.read { try PersonRecord.fetchAll($0) }
      return held.reduce(0) { $0 &+ UInt64($1.age) &+ UInt64($1.name.utf8.count) }
    }

    func stream() throws -> UInt64 {
      try pool.read { db in
        let rows = try Row.fetchCursor(
          db, PersonRecord.select(PersonRecord.Columns.name, PersonRecord.Columns.age))
        var sum: UInt64 = 0
        while let row = try rows.next() {
          let (name, age): (String, Int) = (row[0], row[1])
          sum &+= UInt64(age) &+ UInt64(name.utf8.count)
        }
        return sum
      }
    }

    func fetchByName(_ names: [UInt32]) throws -> UInt64 {
      try pool.read { db in
        var sum: UInt64 = 0
        for name in names {
          let found = try PersonRecord.filter(
            PersonRecord.Columns.name == People.name(Int(name))
          ).fetchAll(db)
          for record in found { sum &+= personSum(age: record.age, name: record.name) }
          held += found
        }
        return sum
      }
    }

    func fetchIDsByName(_ names: [UInt32]) throws -> () -> UInt64 {
      let ids = try pool.read { db in
        try names.map { name in
          try PersonRecord.filter(PersonRecord.Columns.name == People.name(Int(name)))
            .select(PersonRecord.Columns.id, as: Int64.self).fetchAll(db)
        }
      }
      return { ids.joined().reduce(0) { $0 &+ UInt64($1) } }
    }

    func fetchByAge(_ lows: [UInt32], width: Int) throws -> UInt64 {
      try fetchRanges(lows, width, by: PersonRecord.Columns.age)
    }

    func fetchByAgeSortedByName(_ lows: [UInt32], width: Int) throws -> UInt64 {
      try fetchRanges(lows, width, by: PersonRecord.Columns.name)
    }

    private func fetchRanges(_ lows: [UInt32], _ width: Int, by column: Column) throws -> UInt64 {
      try pool.read { db in
        var sum: UInt64 = 0
        for low in lows {
          let found = try PersonRecord.filter(
            PersonRecord.Columns.age >= Int(low) && PersonRecord.Columns.age < Int(low) + width
          ).order(column, PersonRecord.Columns.id).limit(50).fetchAll(db)
          for (place, record) in found.enumerated() {
            sum &+= UInt64(place + 1) &* personSum(age: record.age, name: record.name)
          }
          held += found
        }
        return sum
      }
    }

    func hop() throws -> UInt64 {
      try pool.read { db in
        let company = TableAlias()
        let names =
          try PersonRecord
          .joining(required: PersonRecord.company.aliased(company))
          .select(company[Column("name")], as: String.self)
          .fetchCursor(db)
        var sum: UInt64 = 0
        while let name = try names.next() { sum &+= nameSum(name) }
        return sum
      }
    }
  }
#endif
