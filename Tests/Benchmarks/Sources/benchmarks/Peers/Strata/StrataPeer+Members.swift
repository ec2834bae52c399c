// SPDX-License-Identifier: Apache-2.0
import CPeople
import Strata

extension StrataPeer {
  /// The one with all members.
  private var company: Company {
    get throws { try context.existingObject(Company.self, with: companyIDs[1]!) }
  }

  func prepareMembers() throws {
    forget()
    held = try personIDs.dropFirst().map { try context.object(Person.self, with: $0!) }
    for person in held { _ = person.age }
    _ = try company.name
  }

  private func person(_ serial: UInt32) -> Person { held[Int(serial) - 1] }

  func countMembers() throws -> Int { try company.employees.count }

  func membersAmong(_ serials: [UInt32]) throws -> Int {
    let employees = try company.employees
    return serials.reduce(0) { $0 + (employees.contains(person($1)) ? 1 : 0) }
  }

  func insertMembers(_ serials: [UInt32]) throws {
    let company = try company
    for serial in serials { company.employees.insert(person(serial)) }
  }

  func removeMembers(_ serials: [UInt32]) throws {
    let company = try company
    for serial in serials { company.employees.remove(person(serial)) }
  }

  func takeBackMembers() { forget() }

  func readAllMembers() throws -> UInt64 {
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
