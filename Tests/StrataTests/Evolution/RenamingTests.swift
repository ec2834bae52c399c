// SPDX-License-Identifier: Apache-2.0
import Foundation
import RenamingModel
import Strata
import StrataTestSupport
import Testing

/// A move of names, from one model to the next.
private struct Move: CustomTestStringConvertible {
  let testDescription: String
  let former: NamedModel
  let present: NamedModel
  var removing: Set<String> = []
  /// The former name of each present one.
  let moved: [String: String]
}

/// One entity `E`, whose attributes move.
private let propertyMoves = [
  Move(
    testDescription: "one name", former: NamedModel("E: a"), present: NamedModel("E: b<a"),
    moved: ["b": "a"]),
  Move(
    testDescription: "a name that a new property takes", former: NamedModel("E: a"),
    present: NamedModel("E: b<a a"), moved: ["b": "a"]),
  Move(
    testDescription: "an exchange", former: NamedModel("E: a! b c"),
    present: NamedModel("E: a<b b<a! c"), moved: ["a": "b", "b": "a", "c": "c"]),
  Move(
    testDescription: "a circle", former: NamedModel("E: a b c d"),
    present: NamedModel("E: a<c b<a c<b d"), moved: ["a": "c", "b": "a", "c": "b", "d": "d"]),
  Move(
    testDescription: "a shift", former: NamedModel("E: a b"),
    present: NamedModel("E: a b<a c<b"), moved: ["b": "a", "c": "b"]),
  Move(
    testDescription: "a shift that removes its last", former: NamedModel("E: a b"),
    present: NamedModel("E: b<a"), removing: ["E.b"], moved: ["b": "a"]),
  Move(
    testDescription: "a shift that removes its last and begins with a new one",
    former: NamedModel("E: a b"), present: NamedModel("E: a b<a"), removing: ["E.b"],
    moved: ["b": "a"]),
]

private func row(_ number: Int, _ names: [String], of entity: String) -> [String: String] {
  Dictionary(uniqueKeysWithValues: names.map { ($0, "\(entity).\($0) \(number)") })
}

@Suite struct `Names that move` {
  private let folder: TemporaryDirectory
  private let store: NamedStore

  init() throws {
    folder = try TemporaryDirectory()
    store = NamedStore(at: folder.file("store"))
  }

  private func make(_ model: NamedModel) throws {
    var content: NamedContent = [:]
    for entity in model.outline.entities {
      content[entity.name] = (0..<3).map {
        row($0, entity.attributes.map(\.name), of: entity.name)
      }
    }
    try store.make(model, content)
  }

  /// The content of the entity `E` that `make` has given it, after a move.
  private func expected(_ moved: [String: String]) -> [[String: String]] {
    (0..<3).map { number in moved.mapValues { "E.\($0) \(number)" } }
  }

  @Test(arguments: propertyMoves)
  private func `have the data of the properties that they continue`(move: Move) throws {
    try make(move.former)
    #expect(
      try store.content(move.present, removing: move.removing)["E"] == expected(move.moved))
  }

  @Test(arguments: propertyMoves)
  private func `move once, however often the store is opened`(move: Move) throws {
    try make(move.former)
    for _ in 0..<10 {
      let content = try store.content(move.present, removing: move.removing)
      #expect(content["E"] == expected(move.moved))
    }
  }

  @Test(arguments: propertyMoves)
  private func `do not move again with the next model, which still has the former names`(
    move: Move
  ) throws {
    try make(move.former)
    try store.open(move.present, removing: move.removing)
    let next = NamedModel(move.present.description + " later")
    for _ in 0..<2 {
      #expect(try store.content(next, removing: move.removing)["E"] == expected(move.moved))
    }
  }

  @Test(arguments: propertyMoves)
  private func `do not move in a store that is created with them`(move: Move) throws {
    try make(move.present)
    let names = move.present.outline.entities[0].attributes.map(\.name)
    for _ in 0..<2 {
      #expect(
        try store.content(move.present, removing: move.removing)["E"]
          == (0..<3).map { row($0, names, of: "E") })
    }
  }

  @Test func `of entities are exchanged`() throws {
    try make(NamedModel("E: a", "F: a"))
    for _ in 0..<3 {
      let content = try store.content(NamedModel("E<F: a", "F<E: a"))
      #expect(content["E"]?.map { $0["a"] } == ["F.a 0", "F.a 1", "F.a 2"])
      #expect(content["F"]?.map { $0["a"] } == ["E.a 0", "E.a 1", "E.a 2"])
    }
  }

  @Test func `of entities go in a circle`() throws {
    try make(NamedModel("E: a", "F: b", "G: c"))
    for _ in 0..<3 {
      let content = try store.content(NamedModel("E<G: c", "F<E: a", "G<F: b"))
      #expect(content["E"]?[0] == ["c": "G.c 0"])
      #expect(content["F"]?[0] == ["a": "E.a 0"])
      #expect(content["G"]?[0] == ["b": "F.b 0"])
    }
  }

  @Test func `of entities leave a name to a new entity`() throws {
    try make(NamedModel("E: a"))
    for _ in 0..<3 {
      let content = try store.content(NamedModel("F<E: a", "E: a"))
      #expect(content["F"]?.count == 3 && content["F"]?[1] == ["a": "E.a 1"])
      #expect(content["E"] == [])
    }
  }

  @Test func `of entities take the name of one that is removed`() throws {
    try make(NamedModel("E: a", "F: a"))
    for _ in 0..<3 {
      let content = try store.content(NamedModel("F<E: a"), removing: ["F"])
      #expect(content == ["F": (0..<3).map { ["a": "E.a \($0)"] }])
    }
  }

  @Test func `of entities and of their properties move together`() throws {
    try make(NamedModel("E: a b", "F: a b"))
    for _ in 0..<3 {
      let content = try store.content(NamedModel("E<F: a<b b<a", "F<E: a b"))
      #expect(content["E"]?[2] == ["a": "F.b 2", "b": "F.a 2"])
      #expect(content["F"]?[2] == ["a": "E.a 2", "b": "E.b 2"])
    }
  }

  @Test func `of relationships are exchanged, with those of their inverses`() throws {
    let former = NamedModel("E: x>F.xs y>F.ys", "F: a xs*E.x ys*E.y")
    try store.make(
      former, ["E": [["x": "0", "y": "1"], ["x": "1"]], "F": [["a": "0"], ["a": "1"]]])
    let present = NamedModel("E: x<y>F.xs y<x>F.ys", "F: a xs<ys*E.x ys<xs*E.y")
    for _ in 0..<3 {
      #expect(try store.content(present)["E"] == [["x": "1", "y": "0"], ["y": "1"]])
    }
  }

  @Test func `move once when several threads open the store at the same time`() throws {
    try make(NamedModel("E: a b"))
    let (url, present) = (store.url, NamedModel("E: a<b b<a later"))
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      do {
        for _ in 0..<5 { try NamedStore(at: url).open(present) }
      } catch {
        Issue.record(error)
      }
    }
    #expect(try store.content(present)["E"] == expected(["a": "b", "b": "a"]))
  }
}

@Suite struct `A random renaming` {
  /// `fuzz renames --ops 20000` does more.
  @Test func `leaves the data under the right names, or is refused`() throws {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    let folder = try TemporaryDirectory()
    for number in 0..<150 {
      let renaming = RandomRenaming(using: &random)
      do {
        try NamedStore(at: folder.file("\(number)")).check(renaming)
      } catch {
        Issue.record("seed \(seed), renaming \(number): \(error)")
        return
      }
    }
  }
}
