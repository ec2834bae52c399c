// SPDX-License-Identifier: Apache-2.0
import PendingModel
import StrataChanges
import StrataModel
import StrataRecord
import Testing

private typealias G = Geography

@Suite struct `Newer changes laid over older ones` {
  private let city = G.key("City", 1)
  private let base = G.city(name: "Base", population: 1)

  private func compose(
    _ newer: [ObjectKey: Change], onto older: [ObjectKey: Change]
  ) -> ChangeTable {
    Composition.compose(G.segment(newer), onto: G.overlay(older), schema: G.schema).changes
  }

  private func push(_ newer: [ObjectKey: Change], onto older: [ObjectKey: Change]) -> ChangeTable {
    Composition.compose(
      pushed: G.segment(newer), onto: G.overlay(older), on: Ground(), schema: G.schema
    ).segment.changes
  }

  private func update(
    _ record: Record, generation: UInt64 = 3, base: Record? = nil, _ slots: SlotSet
  ) -> Change {
    .update(
      record, base: Base(record: base ?? self.base, generation: generation), slots: slots)
  }

  @Test func `update on update: per property, the later wins`() {
    let older = update(G.city(from: base, name: "Older", population: 2), [G.name, G.population])
    let newer = update(G.city(from: base, name: "Newer"), [G.name])
    let composed = compose([city: newer], onto: [city: older])[city]
    #expect(composed?.kind == .update)
    #expect(G.name(composed) == "Newer")
    #expect(G.population(composed) == 2)
    #expect(composed?.slots == [G.name, G.population])
  }

  @Test func `update on a pending insert: still an insert`() {
    let inserted = G.city(name: "New", population: 5)
    let newer = Change.update(
      G.city(from: inserted, population: 6), base: Base(record: inserted, generation: 0),
      slots: [G.population])
    let composed = compose(
      [city: newer], onto: [city: .insert(inserted, slots: [G.name, G.population])])[city]
    #expect(composed?.kind == .insert)
    #expect(composed?.base == nil)
    #expect(G.name(composed) == "New")
    #expect(G.population(composed) == 6)
  }

  @Test func `update on a deleted object: dropped`() {
    let deleted = Change.delete(base: Base(record: base, generation: 3))
    #expect(compose([city: update(base, [G.name])], onto: [city: deleted])[city] == nil)
  }

  @Test func `delete of a pending insert: both vanish`() {
    let inserted = Change.insert(base, slots: [G.name])
    let newer = Change.delete(base: Base(record: base, generation: 0))
    let composed = compose([city: newer], onto: [city: inserted])[city]
    #expect(composed?.kind == .delete)
    #expect(composed?.base == nil)
    let overlay = Overlay([G.segment([city: newer]), G.segment([city: inserted])])
    #expect(
      ChangeSet(
        Overlay([
          Composition.compose(
            overlay.segments[0], onto: Overlay([overlay.segments[1]]), schema: G.schema),
          overlay.segments[1],
        ]), mergePolicy: .error
      ).changes.isEmpty)
  }

  @Test func `delete of a pending update keeps the base of the update`() {
    let older = update(G.city(from: base, name: "Older"), generation: 3, [G.name])
    let newer = Change.delete(base: Base(record: base, generation: 7))
    let composed = compose([city: newer], onto: [city: older])[city]
    #expect(composed?.kind == .delete)
    #expect(composed?.base?.generation == 3)
  }

  @Test func `delete of a deleted object: nothing`() {
    let deleted = Change.delete(base: Base(record: base, generation: 3))
    #expect(compose([city: deleted], onto: [city: deleted])[city] == nil)
  }

  @Test func `insert after the delete of the same ID: an update`() {
    let deleted = Change.delete(base: Base(record: base, generation: 3))
    let composed = compose(
      [city: .insert(G.city(name: "Again"), slots: [G.name])], onto: [city: deleted])[city]
    #expect(composed?.kind == .update)
    #expect(composed?.base?.generation == 3)
    #expect(G.name(composed) == "Again")
  }

  @Test func `a to-one link to a deleted object becomes nil`() {
    let country = G.key("Country", 9)
    let deleted = Change.delete(base: Base(record: base, generation: 3))
    let newer = update(G.city(from: base, country: country), [G.countrySlot])
    let composed = compose([city: newer], onto: [country: deleted])[city]
    #expect(composed != nil)
    #expect(G.country(composed) == nil)
  }

  @Test func `a link with a deleted end is dropped`() {
    let country = G.key("Country", 9)
    let language = G.key("Language", 4)
    var links = LinkChanges()
    let place = LinkPlace(PropertyNumber(rawValue: 6), country)
    links.set(.present(position: 0), at: place, to: language)
    let deleted = Change.delete(base: Base(record: base, generation: 3))
    let composed = Composition.compose(
      G.segment([:], links: links), onto: G.overlay([country: deleted]), schema: G.schema)
    #expect(composed.links.isEmpty)
  }

  @Test func `a cascade reaches members that only the older changes have`() {
    let country = G.key("Country", 9)
    let pending = G.city(name: "Pending", country: country)
    let composed = compose(
      [country: .delete(base: Base(record: base, generation: 3))],
      onto: [city: .insert(pending, slots: [G.name, G.countrySlot])])
    #expect(composed[city]?.kind == .delete)
    #expect(composed[city]?.base == nil)
  }

  @Test func `a delete takes its object away from to-one links without an inverse`() {
    let twin = G.key("City", 2)
    let older = update(G.city(from: base, twin: twin), [G.twin])
    let composed = compose(
      [twin: .delete(base: Base(record: base, generation: 3))], onto: [city: older])
    #expect(composed[city]?.kind == .update)
    #expect(composed[city]?.record?.toOne(at: G.twin, layout: G.entity(city).layout) == nil)
  }

  @Test func `each slot keeps its own setter's reading`() throws {
    let entity = G.entity(city)
    let now = G.city(name: "Now", population: 9)
    let older = update(G.city(from: now, name: "Older"), generation: 5, base: now, [G.name])
    let newer = update(G.city(from: base, population: 4), generation: 3, [G.population])
    let stored = StoredRecord(record: now, generation: 5)
    func isOutdated(_ change: Change?, _ slots: SlotSet) -> Bool? {
      change?.base?.isOutdated(by: stored, setting: slots, where: entity.hasEqualEdits)
    }
    for (above, below) in [(newer, older), (older, newer)] {
      let composed = push([city: above], onto: [city: below])[city]
      #expect(isOutdated(composed, [G.name]) == false)
      #expect(isOutdated(composed, [G.population]) == true)
      #expect(isOutdated(composed, [G.name, G.population]) == true)
    }
  }

  @Test func `an object that is not pending below brings its base along`() {
    let newer = update(G.city(from: base, name: "New"), generation: 8, [G.name])
    let composed = compose([city: newer], onto: [G.key("City", 7): .insert(base, slots: [])])[city]
    #expect(composed?.base?.generation == 8)
  }
}
