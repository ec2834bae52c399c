// SPDX-License-Identifier: Apache-2.0
import PendingModel
import StrataChanges
import StrataModel
import StrataRecord
import StrataTestSupport
import Testing

private typealias G = Geography

@Suite struct `An overlay` {
  @Test func `tells the newest change of an object`() {
    let key = G.key("City", 1)
    let old = G.segment([key: .insert(G.city(name: "Old"), slots: [G.name])])
    let new = G.segment([key: .insert(G.city(name: "New"), slots: [G.name])])
    #expect(G.name(Overlay([new, old]).change(for: key)) == "New")
    #expect(G.name(Overlay([new, old]).changes[key]) == "New")
  }

  @Test func `stays the same for readers however its segments are merged`() {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    var plain = Overlay()
    var compacted = Overlay()
    for _ in 0..<200 {
      var changes: [ObjectKey: Change] = [:]
      for _ in 0..<Int.random(in: 1...20, using: &random) {
        let key = G.key("City", UInt64.random(in: 1...100, using: &random))
        let record = G.city(name: "\(Int.random(in: 0...9, using: &random))")
        changes[key] = .insert(record, slots: [G.name])
      }
      let segment = G.segment(changes)
      plain = plain.adding(segment)
      compacted = compacted.adding(segment).compacted()
      for serial in 1...100 as ClosedRange<UInt64> {
        let key = G.key("City", serial)
        #expect(
          compacted.change(for: key)?.record == plain.change(for: key)?.record, "seed \(seed)")
      }
    }
    #expect(compacted.segments.count <= 16, "seed \(seed)")
  }

  @Test func `has no changes when all objects came and went, whichever segments say so`() {
    let keys = (1...3).map { G.key("City", $0) }
    let inserted = G.segment([
      keys[0]: .insert(G.city(name: "A"), slots: [G.name]), keys[1]: .delete(base: nil),
      keys[2]: .delete(base: nil),
    ])
    #expect(Overlay([inserted]).hasChanges)
    let overlay = Overlay([G.segment([keys[0]: .delete(base: nil)]), inserted])
    #expect(overlay.compacted().segments.count == 2)
    #expect(!overlay.hasChanges)
  }

  @Test func `leaves segments alone that a save has frozen`() {
    let first = G.segment([G.key("City", 1): .insert(G.city(name: "A"), slots: [G.name])])
    let second = G.segment([G.key("City", 2): .insert(G.city(name: "B"), slots: [G.name])])
    first.freeze()
    #expect(Overlay([second, first]).compacted().segments.count == 2)
    first.unfreeze()
    #expect(Overlay([second, first]).compacted().segments.count == 1)
  }

  @Test func `finds pending objects by the target of a to-one link`() {
    let country = G.key("Country", 1)
    let other = G.key("Country", 2)
    let (a, b) = (G.key("City", 1), G.key("City", 2))
    let old = G.segment([
      a: .insert(G.city(country: country), slots: [G.countrySlot]),
      b: .insert(G.city(country: country), slots: [G.countrySlot]),
    ])
    let new = G.segment([a: .insert(G.city(country: other), slots: [G.countrySlot])])
    let index = G.entity(a).numbers[G.countrySlot]
    #expect(Overlay([new, old]).referrers(to: country, index: index) == [b])
    #expect(Overlay([new, old]).referrers(to: other, index: index) == [a])
  }
}

@Suite struct `An overlay after its save to the store` {
  private let key = G.key("City", 1)

  @Test func `bases newer changes on the saved state`() {
    let saved = Overlay([
      G.segment([key: .insert(G.city(name: "Saved", population: 1), slots: [G.name])])
    ])
    let changeSet = ChangeSet(saved, mergePolicy: .error)
    for segment in saved.segments { segment.freeze() }
    let newer = Composition.compose(
      G.segment([
        key: .update(
          G.city(name: "Saved", population: 2),
          base: Base(record: G.city(name: "Saved", population: 1), generation: 0),
          slots: [G.population])
      ]), onto: saved, schema: G.schema)
    let rebased = saved.adding(newer).rebased(
      onto: changeSet, CommitResult(generation: 12), schema: G.schema)
    let change = rebased.change(for: key)
    #expect(rebased.segments.count == 1)
    #expect(change?.kind == .update)
    #expect(change?.base?.generation == 12)
    #expect(G.population(change) == 2)
  }

  @Test func `makes a later delete of a saved insert a delete of the stored object`() {
    let saved = Overlay([G.segment([key: .insert(G.city(name: "Saved"), slots: [G.name])])])
    let changeSet = ChangeSet(saved, mergePolicy: .error)
    for segment in saved.segments { segment.freeze() }
    let vanish = Composition.compose(
      G.segment([key: .delete(base: nil)]), onto: saved, schema: G.schema)
    let rebased = saved.adding(vanish).rebased(
      onto: changeSet, CommitResult(generation: 12), schema: G.schema)
    #expect(rebased.change(for: key)?.kind == .delete)
    #expect(rebased.change(for: key)?.base?.generation == 12)
  }

  @Test func `bases newer changes on a merge policy's results`() {
    let base = Base(record: G.city(name: "Base", population: 1), generation: 3)
    let saved = Overlay([
      G.segment([
        key: .update(G.city(name: "Ours", population: 1), base: base, slots: [G.name])
      ])
    ])
    for segment in saved.segments { segment.freeze() }
    let newer = Composition.compose(
      G.segment([
        key: .update(
          G.city(name: "Ours", population: 2),
          base: Base(record: G.city(name: "Ours", population: 1), generation: 3),
          slots: [G.population])
      ]), onto: saved, schema: G.schema)
    let merged = CommitResult(
      generation: 12, merged: [key: G.city(name: "Theirs", population: 1)])
    let change = saved.adding(newer).rebased(
      onto: ChangeSet(saved, mergePolicy: .mergeByPropertyStoreTrump), merged, schema: G.schema
    ).change(for: key)
    #expect(G.name(change) == "Theirs")
    #expect(G.population(change) == 2)
    #expect(change?.slots == [G.population])
  }
}
