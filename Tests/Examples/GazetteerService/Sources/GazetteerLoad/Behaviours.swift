// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The requests of readers and writers, in the order that a seed gives.
struct Behaviours: Sendable {
  let ledger: Ledger
  let seed: UInt64
  /// Several writers change the same few cities, so that saves conflict.
  let contestedIDs: [Int]

  init(ledger: Ledger, seed: UInt64) {
    (self.ledger, self.seed) = (ledger, seed)
    contestedIDs = ledger.largest(of: LiveList.country, count: 8).map { $0[0] }
  }

  /// Reads single cities.
  func cityReader(_ number: Int) -> @Sendable () -> Load.Step {
    {
      var random = SplitMix(seed: seed &+ UInt64(number))
      return { connection in
        try connection.checkCity(ledger.ids.randomElement(using: &random) ?? 0, ledger)
      }
    }
  }

  /// Reads single cities, contested ones among them, and pages.
  func reader(_ number: Int) -> @Sendable () -> Load.Step {
    {
      var random = SplitMix(seed: seed &+ UInt64(number))
      return { connection in
        let ids = ledger.ids
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4:
          try connection.checkCity(contestedIDs.randomElement(using: &random) ?? 0, ledger)
        case 4..<9:
          try connection.checkCity(ids.randomElement(using: &random) ?? 0, ledger)
        default:
          let country = ["IR", "US", "BR"].randomElement(using: &random)
          // The last cities are left out: the cities of writers come after them.
          try connection.checkPage(
            after: ids.dropLast(20).randomElement(using: &random) ?? 0,
            of: Bool.random(using: &random) ? country : nil, count: 10, ledger)
        }
      }
    }
  }

  /// Adds people to contested cities, and inserts, reads and deletes cities of its own.
  func writer(_ number: Int) -> @Sendable () -> Load.Step {
    {
      var random = SplitMix(seed: seed &+ UInt64(number))
      let ownIDs = (0..<20).map { 900_000_000 + number * 1_000 + $0 }
      let new = Account(name: "Lavāsān \(number)", country: "SM", population: 7, presence: .present)
      return { connection in
        let id = ownIDs.randomElement(using: &random) ?? 0
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<5:
          try connection.grow(
            contestedIDs.randomElement(using: &random) ?? 0,
            by: Int.random(in: 1...9, using: &random), ledger)
        case 5..<7: try connection.insert(id, new, ledger)
        case 7: if ledger[id] != nil { try connection.checkCity(id, ledger) } else { fallthrough }
        default: try connection.delete(id, ledger)
        }
      }
    }
  }

  /// Gets answers that need no store.
  func constantReader(_ number: Int) -> @Sendable () -> Load.Step {
    {
      var random = SplitMix(seed: seed &+ UInt64(number))
      return { connection in
        let id = ledger.ids.randomElement(using: &random) ?? 0
        let city = try connection.send("GET", "/constant/\(id)")
          .read(ShownCity.self, status: 200, of: id)
        guard city.geonameID == id, city.name == "Atlantis" else {
          throw WrongAnswer(description: "\(city) instead of a constant")
        }
      }
    }
  }
}

/// Random numbers that a seed decides (Steele, Lea, Flood: Fast splittable pseudorandom number
/// generators, 2014).
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
