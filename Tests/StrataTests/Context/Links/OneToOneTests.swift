// SPDX-License-Identifier: Apache-2.0
import Strata
import StrataTestSupport
import Testing

/// Two countries and two governments that are saved, and two contexts that rest on the root.
@Suite struct `One-to-one links that several contexts set` {
  private let container: PersistentContainer
  private let first: ContextQueue
  private let second: ContextQueue
  private let iran: ObjectID
  private let iraq: ObjectID
  private let old: ObjectID
  private let new: ObjectID

  init() throws {
    container = try geography()
    let ids = try container.root.performAndWait { context in
      let countries = ["IR", "IQ"].map { context.country($0) }
      let governments = ["old", "new"].map { form in
        let government = Government(context: context)
        government.form = form
        return government
      }
      try context.save()
      return countries.map(\.objectID) + governments.map(\.objectID)
    }
    (iran, iraq, old, new) = (ids[0], ids[1], ids[2], ids[3])
    first = ContextQueue(parent: container.root)
    second = ContextQueue(parent: container.root)
  }

  /// Pairs that a context shows from the one end and from the other, as (iso, form).
  private func pairs(in queue: ContextQueue) throws -> (fromCountries: [String], back: [String]) {
    try queue.performAndWait { context in
      let there = try context.fetch(Country.all.sorted(by: \.iso)).compactMap { country in
        country.government.map { "\(country.iso) \($0.form)" }
      }
      let back = try context.fetch(Government.all).compactMap { government in
        government.country.map { "\($0.iso) \(government.form)" }
      }
      return (there, back.sorted())
    }
  }

  private func pair(_ country: ObjectID, _ government: ObjectID?, in queue: ContextQueue) throws {
    try queue.performAndWait { context in
      try context.existingObject(Country.self, with: country).government =
        government.map { try context.existingObject(Government.self, with: $0) }
    }
  }

  private func save(_ queues: ContextQueue...) throws {
    for queue in queues { try queue.performAndWait { try $0.save() } }
  }

  @Test func `belong to the save that is integrated last`() throws {
    try pair(iran, old, in: first)
    try pair(iraq, old, in: second)
    try save(first, second)
    let shown = try pairs(in: container.root)
    #expect(shown.fromCountries == ["IQ old"])
    #expect(shown.back == ["IQ old"])
    try save(container.root)
    let stored = try pairs(in: ContextQueue(parent: container.coordinator))
    #expect(stored.fromCountries == ["IQ old"])
    #expect(stored.back == ["IQ old"])
  }

  @Test func `leave no former partner behind at either end`() throws {
    try pair(iran, new, in: container.root)
    try pair(iran, old, in: second)
    try pair(iran, new, in: first)
    try save(first, second)
    let shown = try pairs(in: container.root)
    #expect(shown.fromCountries == ["IR old"])
    #expect(shown.back == ["IR old"])
  }

  @Test func `are shown by objects that are held`() throws {
    try container.root.performAndWait { context in
      let country = try context.existingObject(Country.self, with: iran)
      country.government = try context.existingObject(Government.self, with: old)
      context.processPendingChanges()
      try pair(iraq, old, in: second)
      try save(second)
      context.processPendingChanges()
      #expect(country.government == nil)
      #expect(country.hasChanges)
    }
  }

  @Test func `keep a partner that has found another one in between`() throws {
    try pair(iran, old, in: first)
    try pair(iraq, old, in: container.root)
    try first.performAndWait { context in
      let country = try context.existingObject(Country.self, with: iraq)
      let government = try context.existingObject(Government.self, with: old)
      #expect(country.government === government)
      #expect(government.country?.objectID == iran)
      country.government = try context.existingObject(Government.self, with: new)
      #expect(government.country?.objectID == iran)
    }
    try save(first)
    let shown = try pairs(in: container.root)
    #expect(shown.fromCountries == ["IQ new", "IR old"])
    #expect(shown.back == ["IQ new", "IR old"])
  }
}
