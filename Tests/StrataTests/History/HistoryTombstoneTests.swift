// SPDX-License-Identifier: Apache-2.0
import Strata
import Testing

@Suite struct `A deleted object` {
  /// Countries leave `iso` and `population`.
  @Test(arguments: [1, 3, 400], [true, false])
  func `leaves the values that the model asks for`(count: Int, isBatch: Bool) async throws {
    let container = try geography()
    let ids = try await container.root.perform { context in
      var ids: [ObjectID] = []
      for index in 0..<count {
        let country = context.country("\(index)" + String(repeating: "é", count: index * 2))
        country.population = index
        ids.append(country.objectID)
      }
      context.city("A")
      try context.save()
      return ids
    }
    try await container.coordinator.keepHistory()
    if isBatch {
      try await container.coordinator.execute(BatchDeleteRequest(Country.all))
    } else {
      try await container.root.perform { context in
        for country in try context.fetch(Country.all) { context.delete(country) }
        try context.save()
      }
    }
    try await container.coordinator.execute(BatchDeleteRequest(City.all))
    let transactions = try container.transactions()
    let changes = transactions.flatMap { Array($0.changes) }
    #expect(changes.map(\.kind) == Array(repeating: .delete, count: count + 1))
    #expect(Array(changes.map(\.objectID).prefix(count)) == ids)
    for (index, change) in changes.prefix(count).enumerated() {
      let iso = "\(index)" + String(repeating: "é", count: index * 2)
      #expect(change.tombstone == ["iso": .string(iso), "population": .int(Int64(index))])
    }
    #expect(changes.last?.tombstone == [:])
  }

  @Test func `leaves no value that is not in the stored object`() {
    for option in [AttributeOption.transient, .external] {
      let attribute = AttributeDescription(
        "bytes", type: .data, isOptional: true, options: [option, .preserveValueOnDeletion])
      let entity = EntityDescription("A", class: City.self, properties: [.attribute(attribute)])
      #expect(throws: ModelError.unfitPreservation(entity: "A", property: "bytes")) {
        try ManagedObjectModel(entities: [entity])
      }
    }
  }
}
