// SPDX-License-Identifier: Apache-2.0
package import StrataChanges
import StrataModel
package import StrataRecord

private typealias G = Geography

/// The contents of random segments, oldest first, in dictionaries: kept without any of their types.
package struct SegmentContents {
  private var names: [ObjectKey: String?] = [:]
  private var deleted: Set<ObjectKey> = []
  private var links: [LinkPlace: [ObjectKey: LinkState]] = [:]

  package init() {}

  /// The index that every city is in.
  package static let index = G.entity(G.key("City", 1)).numbers[G.name]

  /// Makes a segment above those before it.
  package mutating func makeSegment(
    using random: inout some RandomNumberGenerator
  ) -> Segment {
    var changes: [ObjectKey: Change] = [:]
    // Some are close together, some apart, some of another entity.
    let first = UInt64.random(in: 0...3, using: &random) * 40
    for _ in 0..<Int.random(in: 0...40, using: &random) {
      let key = G.key("City", first + UInt64.random(in: 1...60, using: &random))
      deleted.remove(key)
      names[key] = nil
      if Int.random(in: 0...5, using: &random) == 0 {
        changes[key] = .delete(base: nil)
        deleted.insert(key)
      } else {
        let name = Bool.random(using: &random) ? "\(Int.random(in: 0...9, using: &random))" : nil
        changes[key] = .insert(G.city(name: name), slots: [G.name])
        names.updateValue(name, forKey: key)
      }
    }
    let country = G.key("Country", UInt64.random(in: 1...9, using: &random))
    changes[country] = .delete(base: nil)
    deleted.insert(country)
    return G.segment(changes, links: makeLinks(using: &random))
  }

  private mutating func makeLinks(using random: inout some RandomNumberGenerator) -> LinkChanges {
    var made = LinkChanges()
    for _ in 0..<Int.random(in: 0...3, using: &random) * 4 {
      let place = LinkPlace(
        PropertyNumber(rawValue: 7), G.key("City", UInt64.random(in: 1...3, using: &random)))
      let target = G.key("City", UInt64.random(in: 1...20, using: &random))
      let position = UInt64.random(in: 1...9, using: &random)
      let state: LinkState =
        switch Int.random(in: 0...2, using: &random) {
        case 0: .absent
        case 1: .moved(position: position)
        default: .present(position: position)
        }
      made.set(state, at: place, to: target)
    }
    for (place, states) in made.byPlace {
      for (target, state) in states {
        let older = links[place]?[target]
        links[place, default: [:]][target] = older.map { state.applied(over: $0) } ?? state
      }
    }
    return made
  }

  /// The part of a merged segment that differs from the contents, in words; nil if none does.
  package func difference(from merged: Segment) -> String? {
    let named = merged.changes.filter { $0.value.record != nil }
    guard Set(named.keys) == Set(names.keys),
      named.allSatisfy({ G.name($0.value) == names[$0.key] ?? "?" })
    else { return "the objects are others" }
    let gone = merged.changes.filter { $0.value.record == nil }
    guard Set(gone.keys) == deleted else { return "the deleted objects are others" }
    guard merged.links.byPlace == links,
      merged.links.count == links.values.reduce(0, { $0 + $1.count })
    else { return "the links are others" }
    let made = Segment(changes: merged.changes, links: merged.links, schema: G.schema)
    guard Self.entries(merged.run(of: Self.index)) == Self.entries(made.run(of: Self.index)) else {
      return "the index has other entries"
    }
    return nil
  }

  private static func entries(_ run: IndexRun?) -> [[UInt8]] {
    guard let run else { return [] }
    return run.entries.indices.map { run.withBytes(at: $0) { Array($0) } }
  }
}
