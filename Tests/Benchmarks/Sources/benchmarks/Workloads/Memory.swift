// SPDX-License-Identifier: Apache-2.0
import CMeasure
import Strata

extension Workload {
  /// The memory that malloc has allocated for them; the array that holds the objects is not
  /// counted.
  static let w17 = Workload(
    "W17", "memory of N registered faults, and of the same realised", per: "object",
    targets: ["W17": .bytes(160), "W17/realised": .bytes(160 + recordByteCount)]
  ) { setting in
    let store = try setting.reference.contents()
    let context = ManagedObjectContext(parent: store.coordinator)
    context.cacheByteBudget = .max
    var objects: [Person] = []
    objects.reserveCapacity(store.personIDs.count)
    let start = measure_heap()
    guard start > 0 else { throw Unsupported(reason: "this system does not say what malloc holds") }
    for id in store.personIDs { objects.append(try context.object(with: id)) }
    let faults = measure_heap()
    var sum: UInt64 = 0
    for object in objects { sum &+= UInt64(object.age) }
    let realised = measure_heap()
    let count = Double(objects.count)
    return [
      Figure(workload: "W17", bytes: Double(faults - start) / count),
      Figure(workload: "W17/realised", bytes: Double(realised - start) / count, checksum: sum),
    ]
  }

  /// The approximate size of a person's values: four of 8 bytes, texts of 76, and their ends.
  private static let recordByteCount = 130.0
}
