// SPDX-License-Identifier: Apache-2.0
import PendingModel
import StrataChanges
import StrataModel
import StrataRecord
import Testing

private typealias G = Geography

@Suite struct `An overlay that forgets changes` {
  private let a = G.key("City", 1)
  private let b = G.key("City", 2)
  private let country = G.key("Country", 1)
  private let language = G.key("Language", 1)

  private var place: LinkPlace { LinkPlace(G.entity(country).numbers[2], country) }

  private var links: LinkChanges {
    var links = LinkChanges()
    links.set(.present(position: 0), at: place, to: language)
    return links
  }

  private func overlay() -> Overlay {
    let old = G.segment([
      a: .insert(G.city(name: "Old", country: country), slots: [G.name]),
      b: .insert(G.city(name: "B", country: country), slots: [G.name]),
    ])
    let new = G.segment([a: .insert(G.city(name: "New"), slots: [G.name])], links: links)
    return Overlay([new, old])
  }

  @Test func `has none of them in any segment, nor in an index`() {
    let forgotten = overlay().forgetting([a], links: LinkChanges())
    #expect(forgotten.change(for: a) == nil)
    #expect(G.name(forgotten.change(for: b)) == "B")
    #expect(forgotten.link(at: place, to: language) == .present(position: 0))
    let index = G.entity(a).numbers[G.countrySlot]
    #expect(forgotten.referrers(to: country, index: index) == [b])
  }

  @Test func `has none of the links, and no segment without content`() {
    let forgotten = overlay().forgetting([a], links: links)
    #expect(forgotten.link(at: place, to: language) == nil)
    #expect(forgotten.segments.count == 1)
  }

  @Test func `keeps the objects of a frozen segment`() {
    let overlay = overlay()
    overlay.segments[1].freeze()
    var forgotten = overlay.forgetting([a], links: links)
    #expect(G.name(forgotten.change(for: a)) == "Old")
    #expect(forgotten.link(at: place, to: language) == nil)
    overlay.segments[1].unfreeze()
    overlay.segments[0].freeze()
    forgotten = overlay.forgetting([b], links: links)
    #expect(forgotten.change(for: b) == nil)
    #expect(forgotten.link(at: place, to: language) == .present(position: 0))
  }

  @Test func `leaves segments as they are that hold none of them`() {
    let overlay = overlay()
    let forgotten = overlay.forgetting([b], links: LinkChanges())
    #expect(forgotten.segments[0] === overlay.segments[0])
  }
}
