// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata

@Entity final class Company: ManagedObject {
  var name: String
  @Relationship(inverse: \Person.company) var employees: ToMany<Person>
}

@Entity final class Person: ManagedObject {
  @Attribute(.indexed) var name: String
  var email: String
  @Attribute(.indexed) var age: Int = 0
  var score: Double = 0
  var created: Date = .distantPast
  var bio: String
  var company: Company?
}

extension ManagedObjectModel {
  /// The model of all workloads.
  static func people() throws -> ManagedObjectModel {
    try ManagedObjectModel(Company.self, Person.self)
  }
}

extension Person {
  /// Makes a person with the values of a row; the company is for the caller to set.
  convenience init(_ row: People.Person, in context: ManagedObjectContext) {
    self.init(context: context)
    name = row.name
    email = row.email
    age = row.age
    score = row.score
    created = row.created
    bio = row.bio
  }
}
