// SPDX-License-Identifier: Apache-2.0
import CPeople
import Strata

extension StrataPeer {
  func fetchByName(_ names: [UInt32]) throws -> UInt64 {
    try turn { context in
      var sum: UInt64 = 0
      for name in names {
        let name = People.name(Int(name))
        let found = try context.fetch(Person.where { $0.name == name })
        for person in found { sum &+= personSum(age: person.age, name: person.name) }
        held += found
      }
      return sum
    }
  }

  func fetchIDsByName(_ names: [UInt32]) throws -> () -> UInt64 {
    let found = try turn { context in
      try names.map { name in
        let name = People.name(Int(name))
        return try context.fetchIDs(Person.where { $0.name == name })
      }
    }
    return { [self] in
      let serials = serials
      return found.joined().reduce(0) { $0 &+ UInt64(serials[$1] ?? 0) }
    }
  }

  func fetchByAge(_ lows: [UInt32], width: Int) throws -> UInt64 {
    try fetchRanges(lows) { low in
      Person.where { $0.age >= low && $0.age < low + width }.sorted(by: \.age)
    }
  }

  func fetchByAgeSortedByName(_ lows: [UInt32], width: Int) throws -> UInt64 {
    try fetchRanges(lows) { low in
      Person.where { $0.age >= low && $0.age < low + width }.sorted(by: \.name)
    }
  }

  private func fetchRanges(
    _ lows: [UInt32], _ request: @Sendable (Int) -> FetchRequest<Person>
  ) throws -> UInt64 {
    try turn { context in
      var sum: UInt64 = 0
      for low in lows {
        let found = try context.fetch(request(Int(low)).limit(50))
        for (place, person) in found.enumerated() {
          sum &+= UInt64(place + 1) &* personSum(age: person.age, name: person.name)
        }
        held += found
      }
      return sum
    }
  }
}
