// SPDX-License-Identifier: Apache-2.0
import CMeasure
import Strata

extension Workload {
  /// Pages of the file are mapped and not counted: the system takes them back when it needs them.
  static let q3 = Workload(
    "Q3", "the sum of all ages, row by row: how much the process's own memory grows", per: "sum",
    targets: ["Q3": .bytes(20_000_000)]
  ) { setting in
    let context = ManagedObjectContext(parent: try setting.reference.contents().coordinator)
    measure_reset_peak(true)
    let start = measure_own_resident()
    guard start > 0 else { throw Unsupported(reason: "this system does not say what is resident") }
    var (sum, count, most) = (0 as UInt64, 0, start)
    try context.forEachRow(Person.all.select(\.age)) { age in
      sum &+= UInt64(age)
      count += 1
      if count.isMultiple(of: 10_000) { most = max(most, measure_own_resident()) }
    }
    most = max(most, measure_own_resident())
    return [Figure(workload: "Q3", bytes: Double(most - start), checksum: sum)]
  }
}
