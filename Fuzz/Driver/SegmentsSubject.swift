// SPDX-License-Identifier: Apache-2.0
import PendingModel
import StrataChanges
import StrataModel
import StrataRecord
import StrataTestSupport

private typealias G = Geography

/// Pending changes: segments that are merged in steps of any length have the newest of each object,
/// link and index entry; and edits that are laid over others show what a dictionary shows.
///
/// An input is a history: its bytes are the random numbers of the work (`ByteGenerator`).
enum SegmentsSubject: Subject {
  static let name = "segments"
  static let weight = 20

  static func probe(_ bytes: UnsafeRawBufferPointer) throws(Finding) {
    var random = ByteGenerator(bytes)
    if Bool.random(using: &random) {
      try merge(&random)
    } else {
      var cities = Cities()
      try cities.run(&random)
    }
  }

  static func step(_ random: inout SeededGenerator) throws(Finding) {
    let count = Int.random(in: 20...400, using: &random)
    try probe(exactly: [UInt8](uniform: count, using: &random))
  }

  // MARK: - Merges

  private static func merge(_ random: inout ByteGenerator) throws(Finding) {
    var contents = SegmentContents()
    var segments: [Segment] = []
    for _ in 0..<Int.random(in: 2...6, using: &random) {
      segments.insert(contents.makeSegment(using: &random), at: 0)
      if Bool.random(using: &random) { _ = segments[0].run(of: SegmentContents.index) }
    }
    var merge = SegmentMerge(segments)
    while merge.merged == nil {
      var budget = Int.random(in: 1...30, using: &random)
      let given = budget
      merge.advance(&budget)
      try require(budget < given || merge.merged != nil, "a step of a merge does nothing")
    }
    guard let merged = merge.merged else { return }
    let difference = contents.difference(from: merged)
    try require(difference == nil, "of merged segments, \(difference ?? "")")
  }

  // MARK: - Composition

  /// A city as a dictionary has it.
  private struct City: Equatable {
    var name: String
    var population: Int64
  }

  /// A context's edits, turn by turn, beside a dictionary of the cities that it shows. Half of the
  /// cities are in the store beneath.
  private struct Cities {
    private var shown: [ObjectKey: City] = [:]
    private var overlay = Overlay()
    private let stored: [ObjectKey: City]
    private static let keys = (1...8 as ClosedRange<UInt64>).map { G.key("City", $0) }

    init() {
      stored = Dictionary(
        uniqueKeysWithValues: Self.keys.prefix(4).map {
          ($0, City(name: "stored \($0.serial)", population: 0))
        })
      shown = stored
    }

    mutating func run(_ random: inout ByteGenerator) throws(Finding) {
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        let turn = edits(&random)
        let composed = Composition.compose(G.segment(turn), onto: overlay, schema: G.schema)
        overlay = overlay.adding(composed)
        if Bool.random(using: &random) { overlay = overlay.compacted() }
        // A save under way carries what is there so far.
        if Int.random(in: 0..<6, using: &random) == 0 {
          for segment in overlay.segments { segment.freeze() }
        }
        try compare()
      }
    }

    /// The changes of one turn, each made from the record that the context shows.
    private mutating func edits(_ random: inout ByteGenerator) -> [ObjectKey: Change] {
      var changes: [ObjectKey: Change] = [:]
      for key in Self.keys where Int.random(in: 0..<3, using: &random) == 0 {
        let number = Int64.random(in: 1...99, using: &random)
        guard let city = shown[key], let read = read(key) else {
          let city = City(name: "new \(number)", population: number)
          changes[key] = .insert(record(city), slots: [G.name, G.population])
          shown[key] = city
          continue
        }
        var edited = city
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
          changes[key] = .delete(base: read)
          shown[key] = nil
          continue
        case 1: edited.name = "edited \(number)"
        case 2: edited.population = number
        default: (edited.name, edited.population) = ("both \(number)", number)
        }
        var slots = SlotSet()
        if edited.name != city.name { slots.insert(G.name) }
        if edited.population != city.population { slots.insert(G.population) }
        changes[key] = .update(
          G.city(from: read.record, name: edited.name, population: edited.population),
          base: read, slots: slots)
        shown[key] = edited
      }
      return changes
    }

    /// The base of an edit: the record that is shown.
    private func read(_ key: ObjectKey) -> Base? {
      if let change = overlay.change(for: key) { return change.read }
      return stored[key].map { Base(record: record($0), generation: 1) }
    }

    private func record(_ city: City) -> Record {
      G.city(name: city.name, population: city.population)
    }

    private func compare() throws(Finding) {
      if let broken = overlay.brokenInvariant { throw Finding("an overlay breaks: \(broken)") }
      for key in Self.keys {
        let change = overlay.change(for: key)
        let found = change.map { city(of: $0) } ?? stored[key]
        try require(
          found == shown[key],
          "\(key.serial) shows \(String(describing: found)), not \(String(describing: shown[key]))")
        // Where no save carries a part of it, a change says alone what a store has to do.
        guard let change, !overlay.segments.contains(where: \.isFrozen) else { continue }
        try require(
          result(of: change, on: stored[key]) == shown[key],
          "a save of \(key.serial) writes another city than is shown")
      }
    }

    private func city(of change: Change) -> City? {
      guard let name = G.name(change), let population = G.population(change) else { return nil }
      return City(name: name, population: population)
    }

    /// The object in the store after a save of its change.
    private func result(of change: Change, on stored: City?) -> City? {
      switch (change.kind, stored) {
      case (.delete, _): return nil
      case (.insert, _): return city(of: change)
      case (.update, nil): return nil
      case (.update, var city?):
        guard let changed = self.city(of: change) else { return nil }
        if change.slots.contains(G.name) { city.name = changed.name }
        if change.slots.contains(G.population) { city.population = changed.population }
        return city
      }
    }
  }
}
