// SPDX-License-Identifier: Apache-2.0
import CPeople
import Strata

extension StrataPeer {
  func countScores(below bound: Double) throws -> Int {
    try turn { try $0.count(Person.where { $0.score < bound }) }
  }

  func countBiographies(with text: String, isCaseless: Bool) throws -> Int {
    try turn { context in
      try context.count(
        Person.where { $0.bio.contains(text, options: isCaseless ? .caseInsensitive : []) })
    }
  }

  func countAges(_ ages: Range<Int>) throws -> Int {
    try turn { try $0.count(Person.where { $0.age.isIn(ages) }) }
  }

  func sumAges(_ ages: Range<Int>) throws -> Int {
    try turn { try $0.sum(Person.where { $0.age.isIn(ages) }, of: \.age) }
  }

  func fetchIDsByAge(after offset: Int) throws -> () -> UInt64 {
    let found = try turn { context in
      try context.fetchIDs(Person.all.sorted(by: \.age).offset(offset).limit(50))
    }
    return { [self] in
      let serials = serials
      return found.enumerated().reduce(0) { sum, item in
        sum &+ UInt64(item.offset + 1) &* UInt64(serials[item.element] ?? 0)
      }
    }
  }

  func fetchLeastScores() throws -> UInt64 {
    try turn { context in
      let found = try context.fetch(Person.all.sorted(by: \.score).limit(50))
      held += found
      return found.enumerated().reduce(0) { sum, item in
        sum &+ UInt64(item.offset + 1)
          &* personSum(age: item.element.age, name: item.element.name)
      }
    }
  }
}
