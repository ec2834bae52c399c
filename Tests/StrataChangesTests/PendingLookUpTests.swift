// SPDX-License-Identifier: Apache-2.0
import PendingModel
import StrataChanges
import StrataModel
import StrataRecord
import StrataTestSupport
import Testing

private typealias G = Geography

/// A walk finds the same in the key maps of segments as a search of each segment.
@Suite struct `A look-up in pending changes` {
  /// Serials in a row, with gaps, in bunches far apart, or spread over all that there are.
  private func someKeys(_ count: Int, _ random: inout SeededGenerator) -> Set<ObjectKey> {
    let widths: [UInt64] = [UInt64(count), UInt64(count) * 40, UInt64(count) * 100, 1 << 47]
    let width = widths.randomElement(using: &random) ?? 1
    let bunches: [UInt64] = [1, 1, 70]
    let bunch = bunches.randomElement(using: &random) ?? 1
    let entities = ["City", "Country", "Language"].prefix(Int.random(in: 1...3, using: &random))
    var keys: Set<ObjectKey> = []
    while keys.count < count {
      let entity = entities.randomElement(using: &random) ?? "City"
      let first = UInt64.random(in: 1...width, using: &random)
      for serial in first..<(first + bunch) { keys.insert(G.key(entity, serial)) }
    }
    return keys
  }

  private func someSegment(
    _ keys: Set<ObjectKey>, generation: UInt64, _ random: inout SeededGenerator
  ) -> Segment {
    let base = Base(record: G.city(name: "Y"), generation: generation)
    var changes: [ObjectKey: Change] = [:]
    for key in keys {
      switch Int.random(in: 0...3, using: &random) {
      case 0: changes[key] = .delete(base: base)
      case 1: changes[key] = .insert(G.city(name: "X"), slots: [G.name])
      default: changes[key] = .update(G.city(name: "X"), base: base, slots: [G.name])
      }
    }
    return G.segment(changes)
  }

  /// The keys, their neighbours, and others.
  private func asked(_ keys: Set<ObjectKey>, _ random: inout SeededGenerator) -> Set<ObjectKey> {
    var asked = keys
    for key in keys {
      for distance in [-64, -1, 1, 63] {
        asked.insert(ObjectKey(rawValue: key.rawValue &+ UInt64(bitPattern: Int64(distance))))
      }
    }
    asked.formUnion(someKeys(50, &random))
    asked.insert(ObjectKey(rawValue: 0))
    asked.insert(ObjectKey(rawValue: .max))
    return asked
  }

  @Test func `finds the same in each segment as a search of it`() {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    for _ in 0..<30 {
      var all: Set<ObjectKey> = []
      var shared: Set<ObjectKey> = []
      var segments: [Segment] = []
      for number in 0..<Int.random(in: 0...4, using: &random) {
        let own = someKeys([1, 2, 30, 300].randomElement(using: &random) ?? 1, &random)
        let keys = own.union(shared.filter { _ in Bool.random(using: &random) })
        segments.append(someSegment(keys, generation: UInt64(number + 1), &random))
        shared = Set(keys.prefix(20))
        all.formUnion(keys)
      }
      let layers = Overlay(segments)
      let lookUp = PendingLookUp(layers)
      // One expectation for all: there are some hundred thousand questions.
      let wrong = asked(all, &random).filter { !isRight(lookUp, of: $0, in: segments, layers) }
      #expect(wrong.isEmpty, "seed \(seed)")
    }
  }

  private func isRight(
    _ lookUp: PendingLookUp, of key: ObjectKey, in segments: [Segment], _ layers: Overlay
  ) -> Bool {
    let depth = segments.firstIndex { $0.changes.index(of: key) != nil }
    let index = depth.flatMap { segments[$0].changes.index(of: key) }
    let change = layers.change(for: key)
    let place = lookUp.place(of: key)
    let stored = place.flatMap { lookUp.record(at: $0) }
    return place?.depth == depth && place?.index == index
      && lookUp.isTouched(key) == (layers.change(for: key) != nil)
      && (0...segments.count).allSatisfy {
        lookUp.isShadowed(key, above: $0) == layers.isShadowed(key, above: $0)
      }
      && stored?.record == change?.record
      && stored?.generation == change?.record.map { _ in change?.base?.generation ?? 0 }
  }
}
