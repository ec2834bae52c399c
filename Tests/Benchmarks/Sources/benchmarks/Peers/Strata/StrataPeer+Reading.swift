// SPDX-License-Identifier: Apache-2.0
import CPeople
import Foundation
import Strata

extension StrataPeer {
  func readByID(_ serials: [UInt32], perTurn: Int) throws -> UInt64 {
    var sum: UInt64 = 0
    for first in stride(from: 0, to: serials.count, by: perTurn) {
      let part = serials[first..<min(first + perTurn, serials.count)]
      sum &+= try turn { context in
        try part.reduce(0 as UInt64) { sum, serial in
          let person = try context.existingObject(Person.self, with: personIDs[Int(serial)]!)
          held.append(person)
          return sum
            &+ personSum(age: person.age, name: person.name)
            &+ person.created.timeIntervalSince1970.bitPattern
        }
      }
    }
    return sum
  }

  func fetchAll() throws -> UInt64 {
    try turn { context in
      held = try context.fetch(Person.all)
      return held.reduce(0) { $0 &+ UInt64($1.age) &+ UInt64($1.name.utf8.count) }
    }
  }

  func stream() throws -> UInt64 {
    try turn { context in
      var sum: UInt64 = 0
      try context.forEachRow(Person.all.select(\.age, \.name)) { age, name in
        sum &+= UInt64(age) &+ UInt64(name.utf8.count)
      }
      return sum
    }
  }

  func prepareHop() throws { _ = try fetchAll() }

  func hop() throws -> UInt64 {
    try turn { _ in held.reduce(0) { $0 &+ nameSum($1.company?.name ?? "") } }
  }
}
