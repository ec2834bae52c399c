// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import Testing

@Entity(isAbstract: true) class Party: ManagedObject {
  @Attribute(.indexed) var name: String
}

@Entity class Person: Party {
  var age: Int = 0
  var employer: Company?
}

@Entity final class Employee: Person {
  var salary: Double = 0
}

@Entity final class Company: Party {
  @Relationship(inverse: \Person.employer) var staff: ToMany<Person>
}

@Suite struct `Entities that inherit` {
  private func container() throws -> PersistentContainer {
    try PersistentContainer(
      inMemory: ManagedObjectModel(Person.self, Employee.self, Company.self))
  }

  @Test func `are found by their superentity, and know their own class`() async throws {
    try await container().root.perform { context in
      let company = Company(context: context)
      company.name = "Acme"
      let person = Person(context: context)
      person.name = "Ann"
      let employee = Employee(context: context)
      employee.name = "Bob"
      employee.salary = 10
      employee.employer = company
      company.staff.insert(person)
      try context.save()
      context.reset()
      #expect(
        try context.fetch(Party.all.sorted(by: \.name)).map(\.name) == ["Acme", "Ann", "Bob"])
      let people = try context.fetch(Person.where { $0.name >= "Ann" }.sorted(by: \.name))
      #expect(people.map { type(of: $0) == Employee.self } == [false, true])
      #expect((people.last as? Employee)?.salary == 10)
      #expect(try context.count(Employee.all) == 1)
      #expect(people.first?.employer?.staff.count == 2)
    }
  }

  @Test func `are asked by key paths to inherited properties`() async throws {
    try await container().root.perform { context in
      for (name, age) in [("A", 1), ("B", 2), ("C", 3)] {
        let employee = Employee(context: context)
        employee.name = name
        employee.age = age
      }
      let request = Employee.where { $0.age > 1 && $0.name < "C" }.sorted(by: \.age)
      let employees = try context.fetch(request).map(\.name)
      #expect(employees == ["B"])
    }
  }
}
