// SPDX-License-Identifier: Apache-2.0
import CPeople
import Foundation
import Strata

extension StrataPeer {
  /// Serials by ID, of the persons that `insert` has inserted.
  var serials: [ObjectID: Int] {
    var serials: [ObjectID: Int] = [:]
    for (serial, id) in personIDs.enumerated() { if let id { serials[id] = serial } }
    return serials
  }

  /// Reads every record, asks each index for every value in it, and reads the members of every
  /// company.
  func digest() throws -> UInt64 {
    let context = ManagedObjectContext(parent: coordinator)
    var emails: [ObjectID: UInt64] = [:]
    var companyNames: [ObjectID: UInt64] = [:]
    let companies = try context.fetch(Company.all)
    for company in companies { companyNames[company.objectID] = textSum(company.name) }
    var names: Set<String> = []
    var sum: UInt64 = 0
    for person in try context.fetch(Person.all) {
      let email = textSum(person.email)
      emails[person.objectID] = email
      names.insert(person.name)
      sum &+= person_digest(
        textSum(person.name), email, textSum(person.bio), Int64(person.age), person.score,
        person.created.timeIntervalSince1970,
        person.company.flatMap { companyNames[$0.objectID] } ?? 0)
    }
    func add(_ ids: [ObjectID], under way: Int, _ value: UInt64) {
      for id in ids { sum &+= entry_digest(UInt64(way), value, emails[id] ?? 0) }
    }
    for name in names {
      add(
        try context.fetchIDs(Person.where { $0.name == name }), under: under_name,
        textSum(name))
    }
    for low in stride(from: 0, to: age_bound, by: age_bucket) {
      let ages = low..<low + age_bucket
      add(
        try context.fetchIDs(Person.where { $0.age.isIn(ages) }),
        under: under_age_bucket, UInt64(low / age_bucket))
    }
    for company in companies {
      add(
        company.employees.objectIDs, under: under_company,
        companyNames[company.objectID] ?? 0)
    }
    return sum
  }
}
