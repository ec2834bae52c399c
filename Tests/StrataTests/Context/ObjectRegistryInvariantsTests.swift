// SPDX-License-Identifier: Apache-2.0
import Strata
import StrataModel
import StrataPrimitives
import StrataRecord
import Testing

/// The registry is a context's own, so its violations are planted in its objects.
@Suite struct `Stated invariants of a registry` {
  @Test func `stop an object under the key of another entity`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let container = try geography()
      let context = ManagedObjectContext(parent: container.coordinator)
      let city = context.city("A", population: 5)
      let country = context.registry.binding(ofNew: Country.self).entity.number
      city.key = ObjectKey(entity: country, serial: 1)
      context.registry.requireInvariants()
    }
    let said = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) }
    #expect(said?.contains("I1 Each entity has at most one binding") == true)
  }
}
