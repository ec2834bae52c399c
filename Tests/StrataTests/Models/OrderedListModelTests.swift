// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataModel
import StrataTestSupport
import Testing

/// The defined parts of an ordered list, which are compared:
/// - in one context, each edit has the effect that it has on an array;
/// - after saves from several contexts, members that one has placed are in the order that it saw,
///   among themselves and among members that no context has moved.
@Suite struct `Random edits of ordered lists` {
  @Test func `of one context have the same effect as on an array`() async {
    #expect(await failure("a route", steps: 60) { try Alone<RouteList>($0) } == nil)
    #expect(await failure("an album", steps: 60) { try Alone<AlbumList>($0) } == nil)
  }

  @Test func `of several contexts keep each one's order when they are saved`() async {
    #expect(await failure("routes", steps: 150) { try Together<RouteList>($0) } == nil)
    #expect(await failure("albums", steps: 150) { try Together<AlbumList>($0) } == nil)
  }

  private func failure<M: Model>(
    _ name: String, steps: Int, _ make: @escaping @Sendable (ModelRandom) throws -> M
  ) async -> ModelFailure? {
    await ModelTest(name, sequences: 12, steps: steps, make: make).firstFailure()
  }
}

/// One context's edits of a list, and the expected list.
private final class Editor<List: TestList> {
  let list: List
  /// The members that this editor alone moves, inserts and removes: names that begin with it.
  let colour: String
  var expected: [String]
  private let round: Int
  private var madeCount = 0

  init(_ list: List, colour: String, round: Int = 0) {
    self.list = list
    self.round = round
    self.colour = colour
    expected = list.names
  }

  var context: ManagedObjectContext { list.context }

  /// Whether all must see a member in the order in which this editor has seen it.
  func isCompared(_ name: String) -> Bool { name.hasPrefix(colour) || name.hasPrefix("-") }

  private func own() -> [Int] { expected.indices.filter { expected[$0].hasPrefix(colour) } }

  // MARK: - Edits, of the list and of the array

  func insert(_ random: inout ModelRandom) {
    let place = random.below(expected.count + 1)
    let names = (0...random.below(3)).map { _ in
      madeCount += 1
      return "\(colour)\(round).\(madeCount)"
    }
    random.note("  \(names) at \(place)")
    list.insert(names, at: place)
    expected.insert(contentsOf: names, at: place)
  }

  func move(_ random: inout ModelRandom) {
    let place = random.below(expected.count + 1)
    guard let source = random.pick(own()) else { return }
    let sources = own().filter { $0 == source || random.chance(8) }
    random.note("  \(sources) to \(place)")
    list.move(fromOffsets: IndexSet(sources), toOffset: place)
    let moved = sources.map { expected[$0] }
    let before = sources.count { $0 < place }
    expected.removeAll { moved.contains($0) }
    expected.insert(contentsOf: moved, at: place - before)
  }

  func remove(_ random: inout ModelRandom) throws {
    guard let source = random.pick(own()) else { return }
    random.note("  \(source)")
    try expectSame(list.remove(at: source), expected.remove(at: source), "what is removed")
  }

  func delete(_ random: inout ModelRandom) {
    guard let source = random.pick(own()) else { return }
    random.note("  \(source)")
    list.deleteMember(at: source)
    expected.remove(at: source)
  }

  /// Ends the turn: others' changes become visible.
  func look() throws {
    context.processPendingChanges()
    let seen = expected
    expected = list.names
    try expectSame(expected.filter(isCompared), seen.filter(isCompared), "the list of \(colour)")
  }

  func refresh() {
    context.refreshAllObjects()
    expected = list.names
  }
}

// MARK: - One context

private struct Alone<List: TestList>: Model {
  var random: ModelRandom
  private let editor: Editor<List>

  init(_ random: ModelRandom) throws {
    self.random = random
    editor = Editor(List(in: ManagedObjectContext(parent: try geography().coordinator)), colour: "")
  }

  static var operations: [ModelOperation<Alone<List>>] {
    [
      ModelOperation("insert", weight: 3) { $0.editor.insert(&$0.random) },
      ModelOperation("move", weight: 4) { $0.editor.move(&$0.random) },
      ModelOperation("remove") { try $0.editor.remove(&$0.random) },
      ModelOperation("delete") { $0.editor.delete(&$0.random) },
      ModelOperation("end the turn") { $0.editor.context.processPendingChanges() },
      ModelOperation("save") { try $0.editor.context.save() },
    ]
  }

  /// Compares the list, as it is kept and as another context reads it afresh.
  func check() throws {
    let (list, expected) = (editor.list, editor.expected)
    try expectSame(list.names, expected, "the list")
    let child = ManagedObjectContext(parent: editor.context)
    let fresh = try List(list.owner.objectID, in: child)
    try expectSame(fresh.names, expected, "the list, read afresh")
    guard let index = expected.indices.last else { return }
    try expectSame(list.name(at: index), expected[index], "the last member")
    let member = list.members.first { list.name(of: $0) == expected[index / 2] }
    try expectSame(member.flatMap { list.members.firstIndex(of: $0) }, index / 2, "the middle one")
  }

  func finish() throws {
    try editor.context.save()
    try check()
  }
}

// MARK: - Several contexts

/// Two roots; one has two children, the other has one.
private struct Together<List: TestList>: Model {
  var random: ModelRandom
  private let container: PersistentContainer
  private let contexts: [ManagedObjectContext]
  private let id: ObjectID
  private var editors: [Editor<List>] = []
  private var round = 0

  init(_ setup: ModelRandom) throws {
    random = setup
    container = try geography()
    let first = ManagedObjectContext(parent: container.coordinator)
    let made = List(in: first)
    let names = (0..<30).map { ["a", "b", "c", "d", "e", "-"][$0 % 6] + ".\($0)" }
    made.append(names.shuffled(using: &random))
    try first.save()
    id = made.owner.objectID
    let second = ManagedObjectContext(parent: container.coordinator)
    contexts =
      [first, second] + [first, first, second].map { ManagedObjectContext(parent: $0.layer) }
    try begin()
  }

  static var operations: [ModelOperation<Together<List>>] {
    [
      ModelOperation("insert", weight: 15) { $0.pick().insert(&$0.random) },
      ModelOperation("move", weight: 20) { $0.pick().move(&$0.random) },
      ModelOperation("remove", weight: 5) { try $0.pick().remove(&$0.random) },
      ModelOperation("delete", weight: 5) { $0.pick().delete(&$0.random) },
      ModelOperation("end the turn", weight: 10) { try $0.pick().look() },
      ModelOperation("save all") { try $0.saveAll() },
    ]
  }

  private mutating func pick() -> Editor<List> {
    let editor = editors[random.below(editors.count)]
    random.note("  of \(editor.colour)")
    return editor
  }

  /// Has all contexts show the list as the store has it.
  private mutating func begin() throws {
    round += 1
    editors = try zip(contexts, ["a", "b", "c", "d", "e"]).map { context, colour in
      context.refreshAllObjects()
      return Editor(try List(id, in: context), colour: colour, round: round)
    }
  }

  /// Saves the children in any order, then the roots.
  private mutating func saveAll() throws {
    for editor in editors[2...].shuffled(using: &random) { try editor.context.save() }
    for editor in editors[..<2].shuffled(using: &random) {
      editor.context.processPendingChanges()
      try editor.context.save()
    }
    let reader = ManagedObjectContext(parent: container.coordinator)
    let merged = try List(id, in: reader).names
    for editor in editors {
      try expectSame(
        merged.filter(editor.isCompared), editor.expected.filter(editor.isCompared),
        "what \(editor.colour) has seen")
    }
    for editor in editors {
      editor.context.processPendingChanges()
      editor.refresh()
      try expectSame(editor.expected, merged, "the list of \(editor.colour)")
    }
    try begin()
  }

  mutating func finish() throws { try saveAll() }
}
