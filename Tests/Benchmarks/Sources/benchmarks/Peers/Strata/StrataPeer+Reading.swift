// SPDX-License-Identifier: Apache-2.0
import CPeople
import Foundation
import Strata

extension StrataPeer {
  func readByID(_ serials: [UInt32], perTurn: Int) throws -> UInt64 {
    var sum: UInt64 = 0
    for (index, serial) in serials.enumerated() {
      if index > 0, index.isMultiple(of: perTurn) { context.processPendingChanges() }
      let person = try context.existingObject(Person.self, with: personIDs[Int(serial)]!)
      sum &+=
        personSum(age: person.age, name: person.name)
        &+ person.created.timeIntervalSince1970.bitPattern
      held.append(person)
    }
    return sum
  }

  func fetchAll() throws -> UInt64 {
    held = try context.fetch(Person.all)
    return held.reduce(0) { $0 &+ UInt64($1.age) &+ UInt64($1.name.utf8.count) }
  }

  func stream() throws -> UInt64 {
    var sum: UInt64 = 0
    try context.forEachRow(Person.all.select(\.age, \.name)) { age, name in
      sum &+= UInt64(age) &+ UInt64(name.utf8.count)
    }
    return sum
  }

  func prepareHop() throws {
    forget()
    held = try context.fetch(Person.all)
  }

  func hop() -> UInt64 {
    held.reduce(0) { $0 &+ nameSum($1.company?.name ?? "") }
  }
}
