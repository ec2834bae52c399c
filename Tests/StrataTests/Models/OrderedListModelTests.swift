// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataModel
import StrataTestSupport
import Testing

/// What is defined of an ordered list, and so is compared:
/// - in one context, each edit does what it does to an array;
/// - after saves from several contexts, members that one has put somewhere stand in the order that it
///   saw among themselves and among those that nobody has moved.
@Suite struct `Random edits of ordered lists` {
  private static let sequenceCount = 12

  @Test(arguments: [true, false])
  func `of one context do what they do to an array`(isRoute: Bool) throws {
    let first = SeededGenerator.firstSeed()
    for seed in first..<(first + UInt64(Self.sequenceCount)) {
      if isRoute {
        try Editor<RouteList>.editAlone(seed: seed)
      } else {
        try Editor<AlbumList>.editAlone(seed: seed)
      }
    }
  }

  @Test(arguments: [true, false])
  func `of several contexts keep each one's order when they are saved`(isRoute: Bool) throws {
    let first = SeededGenerator.firstSeed()
    for seed in first..<(first + UInt64(Self.sequenceCount)) {
      if isRoute {
        try Editor<RouteList>.editTogether(seed: seed)
      } else {
        try Editor<AlbumList>.editTogether(seed: seed)
      }
    }
  }
}

/// One context's hand on a list, and what the list should be.
private final class Editor<List: TestList> {
  let context: ManagedObjectContext
  let list: List
  /// What this editor alone moves, inserts and removes: names that begin with it.
  let colour: String
  var expected: [String]
  private var madeCount = 0
  /// Whether others edit the list too, so that a new turn may show another list.
  private let isAlone: Bool
  private let round: Int

  init(_ list: List, colour: String, isAlone: Bool = false, round: Int = 0) {
    self.round = round
    self.list = list
    context = list.context
    self.colour = colour
    self.isAlone = isAlone
    expected = list.names
  }

  func refresh() throws {
    context.refreshAllObjects()
    expected = list.names
  }

  /// Whether the order in which this editor has seen a member is what all must see.
  func isCompared(_ name: String) -> Bool { name.hasPrefix(colour) || name.hasPrefix("-") }

  private func member(_ name: String) throws -> List.Member {
    try #require(list.members.first { list.name(of: $0) == name })
  }

  private func own() -> [Int] { expected.indices.filter { expected[$0].hasPrefix(colour) } }

  /// Does something to the list and to the array.
  func edit(_ random: inout SeededGenerator) throws {
    let place = Int.random(in: 0...expected.count, using: &random)
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<3:
      let names = (0..<Int.random(in: 1...3, using: &random)).map { _ in
        madeCount += 1
        return "\(colour)\(round).\(madeCount)"
      }
      list.insert(names, at: place)
      expected.insert(contentsOf: names, at: place)
    case 3..<7:
      guard let source = own().randomElement(using: &random) else { return }
      let sources = own().filter { $0 == source || Int.random(in: 0..<8, using: &random) == 0 }
      list.move(fromOffsets: IndexSet(sources), toOffset: place)
      let moved = sources.map { expected[$0] }
      let before = sources.count { $0 < place }
      expected.removeAll { moved.contains($0) }
      expected.insert(contentsOf: moved, at: place - before)
    case 7:
      guard let source = own().randomElement(using: &random) else { return }
      let removed = list.remove(at: source)
      #expect(removed == expected.remove(at: source))
    case 8:
      guard let source = own().randomElement(using: &random) else { return }
      list.deleteMember(at: source)
      expected.remove(at: source)
    default:
      context.processPendingChanges()
      if isAlone { return }
      let seen = expected
      expected = list.names
      try #require(expected.filter(isCompared) == seen.filter(isCompared))
    }
  }

  /// Compares the list, as it is kept and as another context reads it afresh.
  func check(_ what: String) throws {
    let names = list.names
    try #require(names == expected, "\(what)")
    let child = ManagedObjectContext(parent: context)
    let fresh = try List(list.owner.objectID, in: child).names
    try #require(fresh == expected, "\(what), read afresh")
    guard let index = expected.indices.last else { return }
    #expect(list.name(at: index) == expected[index], "\(what)")
    let found = try list.members.firstIndex(of: member(expected[index / 2]))
    #expect(found == index / 2, "\(what)")
  }

  // MARK: - Sequences

  static func editAlone(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let container = try lists()
    let context = ManagedObjectContext(parent: container.coordinator)
    let list = List(in: context)
    let editor = Editor(list, colour: "", isAlone: true)
    for step in 0..<60 {
      try editor.edit(&random)
      try editor.check("seed \(seed), step \(step)")
      if Int.random(in: 0..<10, using: &random) == 0 { try context.save() }
    }
    try context.save()
    try editor.check("seed \(seed)")
  }

  /// Two roots; one has two children, the other has one.
  static func editTogether(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let container = try lists()
    let first = ManagedObjectContext(parent: container.coordinator)
    let made = List(in: first)
    let names = (0..<30).map { ["a", "b", "c", "d", "e", "-"][$0 % 6] + ".\($0)" }
    made.append(names.shuffled(using: &random))
    try first.save()
    let id = made.owner.objectID
    let second = ManagedObjectContext(parent: container.coordinator)
    let children = [first, first, second].map { ManagedObjectContext(parent: $0.layer) }
    for round in 0..<3 {
      let editors = try zip([first, second] + children, ["a", "b", "c", "d", "e"]).map {
        context, colour in
        context.refreshAllObjects()
        return Editor(try List(id, in: context), colour: colour, round: round)
      }
      for _ in 0..<50 {
        let editor = editors[Int.random(in: 0..<editors.count, using: &random)]
        try editor.edit(&random)
      }
      // Children in any order, then the roots.
      for editor in editors[2...].shuffled(using: &random) { try editor.context.save() }
      for editor in editors[..<2].shuffled(using: &random) {
        editor.context.processPendingChanges()
        try editor.context.save()
      }
      let reader = ManagedObjectContext(parent: container.coordinator)
      let merged = try List(id, in: reader).names
      for editor in editors {
        try #require(
          merged.filter(editor.isCompared) == editor.expected.filter(editor.isCompared),
          "seed \(seed), round \(round), \(editor.colour)")
      }
      for editor in editors {
        editor.context.processPendingChanges()
        try editor.refresh()
        try #require(editor.expected == merged, "seed \(seed), round \(round), \(editor.colour)")
      }
    }
  }
}
