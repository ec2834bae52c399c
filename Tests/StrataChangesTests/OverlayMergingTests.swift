// SPDX-License-Identifier: Apache-2.0
import PendingModel
import StrataChanges
import StrataModel
import StrataRecord
import Testing

private typealias G = Geography

@Suite struct `A pending change that is merged` {
  private let key = G.key("City", 1)
  private let base = Base(record: G.city(name: "old", population: 1), generation: 1)
  private let newer = Base(record: G.city(name: "new", population: 2), generation: 5)

  private func raised(_ change: Change) -> Change {
    var arena = RecordArena()
    return change.raised(onto: newer, G.entity(key), into: &arena)
  }

  @Test func `keeps its slots over the newer record, which becomes its base`() {
    let record = G.city(from: base.record, population: 9)
    let change = raised(.update(record, base: base, slots: [G.population]))
    #expect(G.name(change) == "new")
    #expect(G.population(change) == 9)
    #expect(change.base?.generation == 5)
    #expect(change.base?.record == newer.record)
    #expect(change.slots == [G.population])
  }

  @Test func `stays a delete of the newer record`() {
    let change = raised(.delete(base: base))
    #expect(change.kind == .delete)
    #expect(change.base?.generation == 5)
  }

  @Test func `stays as it is if it inserts`() {
    let change = raised(.insert(G.city(name: "mine"), slots: [G.name]))
    #expect(change.kind == .insert)
    #expect(G.name(change) == "mine")
    #expect(change.base == nil)
  }
}

@Suite struct `Dropping an object's changes` {
  private let a = G.key("City", 1)
  private let b = G.key("City", 2)
  private let base = Base(record: G.city(name: "old"), generation: 1)

  private func update(_ name: String) -> Change {
    .update(G.city(from: base.record, name: name), base: base, slots: [G.name])
  }

  @Test func `takes them out of every segment, and its links at either end`() throws {
    let languages = try #require(G.entity(G.key("Country", 1)).relationships.last ?? nil)
    let (country, language, other) = (
      G.key("Country", 1), G.key("Language", 1), G.key("Language", 2)
    )
    let mirror = try #require(languages.inverse).number
    var links = LinkChanges()
    for target in [language, other] {
      links.set(.present(position: 0), at: LinkPlace(languages.number, country), to: target)
      links.set(.present(position: 0), at: LinkPlace(mirror, target), to: country)
    }
    let overlay = Overlay([
      G.segment([a: update("2"), b: update("x")]), G.segment([a: update("1")], links: links),
    ])
    let left = overlay.dropping([a, language], schema: G.schema)
    #expect(left.change(for: a) == nil)
    #expect(G.name(left.change(for: b)) == "x")
    #expect(Array(left.links(at: LinkPlace(languages.number, country)).keys) == [other])
    #expect(left.links(at: LinkPlace(mirror, language)).isEmpty)
    #expect(Array(left.links(at: LinkPlace(mirror, other)).keys) == [country])
  }

  @Test func `leaves the changes of a save under way`() {
    let frozen = G.segment([a: update("saved")])
    frozen.freeze()
    let overlay = Overlay([G.segment([a: update("newer")]), frozen])
    #expect(overlay.isFrozen(a))
    #expect(!overlay.isFrozen(b))
    let left = overlay.dropping([a], schema: G.schema)
    #expect(G.name(left.change(for: a)) == "saved")
    #expect(left.segments.count == 1)
  }
}
