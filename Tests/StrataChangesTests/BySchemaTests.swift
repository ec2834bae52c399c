// SPDX-License-Identifier: Apache-2.0
#if DEBUG
  import Foundation
  import StrataChanges
  import StrataModel
  import StrataRecord
  import Testing

  private final class Reading {}

  /// Many tests plant a fault or a pause in their store and never take it away. Other tests open
  /// stores in the same places of memory.
  @Suite struct `What a test has set for a store` {
    private static let model = try? ManagedObjectModel(
      entities: [
        EntityDescription(
          "Reading", class: Reading.self,
          properties: [.attribute(AttributeDescription("count", type: .int64))])
      ])

    private func schema() throws -> Schema {
      let model = try #require(Self.model)
      var numbers = SchemaNumbers()
      numbers.number(model)
      return Schema(model: model, numbers: numbers, store: StoreIdentity(UUID()), version: 1)
    }

    @Test func `is there for its schema until it is taken away`() throws {
      let values = BySchema<Int>()
      let (first, second) = (try schema(), try schema())
      values.set(1, for: first)
      values.set(2, for: second)
      values.set(3, for: first)
      #expect(values.value(for: first) == 3)
      #expect(values.value(for: second) == 2)
      values.set(nil, for: first)
      #expect(values.value(for: first) == nil)
      #expect(values.value(for: second) == 2)
    }

    @Test func `is not found by schemas that are made after its own is gone`() throws {
      let values = BySchema<Int>()
      for round in 0..<100 {
        values.set(round, for: try schema())
        let later = try (0..<8).map { _ in try schema() }
        let found = later.compactMap { values.value(for: $0) }
        #expect(found.isEmpty)
      }
    }
  }
#endif
