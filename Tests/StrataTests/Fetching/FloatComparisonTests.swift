// SPDX-License-Identifier: Apache-2.0
import Strata
import Testing

@Suite struct `A Float compared by a format string` {
  private let areas: [Float] = [0.1, 16_777_216, .infinity]

  @Test(arguments: [
    ("area == 0.1", [0]), ("area IN {0.1, 16777217}", [0]), ("area == 16777216", [1]),
    ("area >= 16777217", [2]), ("area < 16777217", [0, 1]), ("area <= 1e39", [0, 1]),
    ("area == 1e39", []), ("area > 1e39", [2]),
  ])
  func `is compared with the number as it is`(format: String, found: [Int]) throws {
    let container = try republic()
    try container.root.performAndWait { context in
      for (index, area) in areas.enumerated() { context.town("\(index)").area = area }
      let request = FetchRequest<Town>(try FetchPredicate(format: format)).sorted(by: \.name)
      expectEqual(try context.fetch(request).map(\.name), found.map { "\($0)" })
    }
  }
}
