// SPDX-License-Identifier: Apache-2.0
import CPeople
import Strata

extension StrataPeer {
  func prepareMembers() throws {
    forget()
    try turn { context in
      held = try personIDs.dropFirst().map { try context.object(Person.self, with: $0!) }
      for person in held { _ = person.age }
    }
  }

  /// Runs the body with the employees of the one company.
  private func withMembers<Result: Sendable>(
    _ body: @Sendable (ToMany<Person>) throws -> Result
  ) throws -> Result {
    try turn { try body($0.existingObject(Company.self, with: companyIDs[1]!).employees) }
  }

  private func person(_ serial: UInt32) -> Person { held[Int(serial) - 1] }

  func countMembers(afterRemovingEachOf serials: [UInt32]) throws -> Int {
    try withMembers { members in
      serials.reduce(0) { sum, serial in
        members.remove(person(serial))
        return sum + members.count
      }
    }
  }

  func membersAmong(_ serials: [UInt32]) throws -> Int {
    try withMembers { members in
      serials.reduce(0) { $0 + (members.contains(person($1)) ? 1 : 0) }
    }
  }

  func insertMembers(_ serials: [UInt32]) throws {
    try withMembers { members in
      for serial in serials { members.insert(person(serial)) }
    }
  }

  func removeMembers(_ serials: [UInt32]) throws {
    try withMembers { members in
      for serial in serials { members.remove(person(serial)) }
    }
  }

  func takeBackMembers() { forget() }

  func readAllMembers() throws -> UInt64 {
    try turn { context in
      var sum: UInt64 = 0
      for company in try context.fetch(Company.all) {
        let ages = company.employees.reduce(0 as UInt64) { ages, person in
          held.append(person)
          return ages &+ UInt64(person.age)
        }
        sum &+= ages &* nameSum(company.name)
      }
      return sum
    }
  }
}
