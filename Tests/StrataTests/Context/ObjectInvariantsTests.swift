// SPDX-License-Identifier: Apache-2.0
import Strata
import StrataModel
import StrataPrimitives
import StrataRecord
import Testing

// The registry and the cache are a context's own, so their violations are planted in its objects.

/// A context and a new city in it.
private func contextWithCity() throws -> (ManagedObjectContext, City) {
  let context = ManagedObjectContext(parent: try geography().coordinator)
  return (context, context.city("A", population: 5))
}

@Suite struct `Stated invariants of a registry` {
  @Test func `stop an object under the key of another entity`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let (context, city) = try contextWithCity()
      let country = context.registry.binding(ofNew: Country.self).entity.number
      city.key = ObjectKey(entity: country, serial: 1)
      context.registry.requireInvariants()
    }
    #expect(result?.says("I1 Each entity has at most one binding") == true)
  }
}

@Suite struct `Stated invariants of a cache` {
  @Test func `stop bytes of a record that were not counted`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let (context, city) = try contextWithCity()
      try context.save()
      city.record = nil
      context.registry.requireCacheInvariants()
    }
    #expect(result?.says("I2 `byteCount` counts each instance and each record") == true)
  }

  @Test func `stop an edition that is still to come`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let (context, city) = try contextWithCity()
      city.edition = .max
      context.registry.requireCacheInvariants()
    }
    #expect(result?.says("I4 No object has a future edition.") == true)
  }
}

extension ExitTest.Result {
  /// Whether the process has written a text to its standard error.
  fileprivate func says(_ text: String) -> Bool {
    String(decoding: standardErrorContent, as: UTF8.self).contains(text)
  }
}
