// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataModel
import StrataTestSupport
import Testing

/// Lists as tests write them: "[x: 1 2] [y: 3]" is of objects with these serials.
private func snapshot(_ text: String, of store: UUID) throws -> FetchedResultsSnapshot {
  let sections = text.split(separator: "]").map { part in
    let halves = part.drop { $0 == " " || $0 == "[" }
      .split(separator: ":", omittingEmptySubsequences: false)
    let ids = halves[1].split(separator: " ").map { "\"x-strata://\(store)/1/\($0)\"" }
    let name = halves[0] == "nil" ? "" : "\"name\": \"\(halves[0])\", "
    return "{\(name)\"objectIDs\": [\(ids.joined(separator: ","))]}"
  }
  let json = "[\(sections.joined(separator: ","))]"
  return try JSONDecoder().decode(FetchedResultsSnapshot.self, from: Data(json.utf8))
}

@Suite struct `A snapshot of a list` {
  private let store = UUID()

  private func difference(
    from old: String, to new: String
  ) throws -> FetchedResultsDifference {
    let (old, new) = (try snapshot(old, of: store), try snapshot(new, of: store))
    let difference = new.difference(from: old)
    #expect(old.applying(difference) == new)
    return difference
  }

  @Test func `survives being encoded`() throws {
    let list = try snapshot("[nil: 4] [x: 1 2] [y: 3]", of: store)
    let decoded = try JSONDecoder().decode(
      FetchedResultsSnapshot.self, from: JSONEncoder().encode(list))
    #expect(decoded == list)
    #expect(decoded.hashValue == list.hashValue)
    #expect(list.count == 4)
    #expect(list.sections.map(\.name) == [nil, "x", "y"])
    #expect(list.objectID(at: FetchedIndexPath(item: 1, section: 1)) == list.objectIDs[2])
    #expect(list.objectID(at: FetchedIndexPath(item: 2, section: 1)) == nil)
    #expect(list.objectID(at: FetchedIndexPath(item: -1, section: 0)) == nil)
    let other = try snapshot("[nil: 4] [x: 2 1] [y: 3]", of: store)
    #expect(list != other)
  }

  @Test(arguments: ["[x: 1 1]", "[x: 1] [x: 2]", "[x: ]", "[x: 1] [nil: ]"])
  func `is not made of data that is no list`(text: String) throws {
    #expect(throws: DecodingError.self) { try snapshot(text, of: store) }
  }

  @Test func `is made of no objects, too`() throws {
    let empty = try snapshot("[nil: ]", of: store)
    #expect(empty.sectionCount == 1)
    #expect(empty.isEmpty)
    #expect(try snapshot("", of: store).sectionCount == 0)
    #expect(try difference(from: "[nil: ]", to: "[nil: 1 2]").deletedSections.isEmpty)
    #expect(try difference(from: "", to: "[nil: 1 2]").insertedSections.count == 1)
  }

  @Test func `reports insertions, deletions and moves`() throws {
    let difference = try difference(
      from: "[a: 1 2 3] [b: 4 5] [c: 6]", to: "[a: 3 1 7] [c: 6 4] [d: 5]")
    #expect(difference.deletedSections.map(\.index) == [1])
    #expect(difference.insertedSections.map(\.name) == ["d"])
    #expect(difference.deletions.map(\.indexPath) == [FetchedIndexPath(item: 1, section: 0)])
    #expect(difference.insertions.map(\.indexPath) == [FetchedIndexPath(item: 2, section: 0)])
    #expect(difference.moves.count == 3)
  }

  @Test func `says of as few objects as possible that they moved`() throws {
    let difference = try difference(from: "[a: 1 2 3 4 5 6]", to: "[a: 2 3 6 4 5 1]")
    #expect(difference.moves.count == 2)
  }

  @Test func `knows sections that changed places`() throws {
    let difference = try difference(from: "[a: 1 2] [b: 3] [c: 4]", to: "[c: 4] [a: 1 2] [b: 3]")
    #expect(difference.deletedSections.map(\.name) == ["c"])
    #expect(difference.insertedSections.map(\.index) == [0])
  }

  @Test func `does not take a difference of another list`() throws {
    let one = try snapshot("[a: 1 2] [b: 3]", of: store)
    let two = try snapshot("[a: 2] [c: 3 4]", of: store)
    let difference = two.difference(from: one)
    #expect(two.applying(difference) == nil)
    #expect(try snapshot("[a: 1]", of: store).applying(difference) == nil)
    #expect(try snapshot("", of: store).applying(difference) == nil)
  }

  @Test func `and any other differ by the changes between them`() throws {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      func list() -> String {
        var serials = Array(1...9).shuffled(using: &random)[
          ..<Int.random(in: 1...9, using: &random)]
        var text = ""
        for name in ["a", "b", "c", "d"].shuffled(using: &random) where !serials.isEmpty {
          let count = Int.random(in: 1...serials.count, using: &random)
          text += "[\(name): \(serials.prefix(count).map(String.init).joined(separator: " "))]"
          serials = serials.dropFirst(count)
        }
        return text
      }
      let (old, new) = (list(), list())
      let former = try snapshot(old, of: store)
      let present = try snapshot(new, of: store)
      let isReached = former.applying(present.difference(from: former)) == present
      #expect(isReached, "seed \(seed): \(old) to \(new)")
    }
  }

  @Test func `of a controller stays as it was`() throws {
    let context = ManagedObjectContext(parent: try garden().coordinator)
    let ids = (0..<300).map { context.plant("\($0)", height: $0).objectID }
    let list = FetchedResultsController(Plant.all.sorted(by: \.height), context: context)
    try list.performFetch()
    let before = list.snapshot
    for id in ids.prefix(200) { try context.existingObject(Plant.self, with: id).height += 400 }
    context.processPendingChanges()
    #expect(before.objectIDs == ids)
    #expect(list.snapshot.objectIDs == Array(ids[200...] + ids[..<200]))
    #expect(before.applying(list.snapshot.difference(from: before)) == list.snapshot)
  }
}
