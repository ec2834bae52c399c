// SPDX-License-Identifier: Apache-2.0
import Strata
import Testing

/// The cache is a context's own, so its violations are planted in its objects.
@Suite struct `Stated invariants of a cache` {
  @Test func `stop bytes of a record that were not counted`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let container = try geography()
      let context = ManagedObjectContext(parent: container.coordinator)
      let city = context.city("A", population: 5)
      try context.save()
      city.record = nil
      context.registry.requireCacheInvariants()
    }
    let said = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) }
    #expect(said?.contains("I2 `byteCount` counts each instance and each record") == true)
  }

  @Test func `stop an edition that is still to come`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let container = try geography()
      let context = ManagedObjectContext(parent: container.coordinator)
      let city = context.city("A", population: 5)
      city.edition = .max
      context.registry.requireCacheInvariants()
    }
    let said = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) }
    #expect(said?.contains("I4 No object has a future edition.") == true)
  }
}
