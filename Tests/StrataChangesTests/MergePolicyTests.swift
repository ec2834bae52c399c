// SPDX-License-Identifier: Apache-2.0
import PendingModel
import StrataChanges
import StrataModel
import StrataRecord
import Testing

private typealias G = Geography

/// Base: name A, population 1. Ours changed the name to B and the population to 2; theirs changed
/// the name to C.
@Suite struct `A merge policy, where both changed the name and we the population` {
  private let key = G.key("City", 1)
  private let base = G.city(name: "A", population: 1)
  private var ours: Record { G.city(from: base, name: "B", population: 2) }
  private var theirs: Record { G.city(from: base, name: "C") }

  private func resolve(
    _ policy: MergePolicy, ours: Record?, theirs: Record?
  ) -> (kind: String, name: String?, population: Int64?) {
    let conflict = MergePolicy.Conflict(
      objectID: ObjectID(store: G.schema.store, key: key), base: base, ours: ours, theirs: theirs,
      changed: [G.name, G.population], schema: G.schema)
    let layout = G.entity(key).layout
    switch policy.resolve(conflict, layout: layout) {
    case .fail: return ("fail", nil, nil)
    case .delete: return ("delete", nil, nil)
    case .keepTheirs: return ("keep", nil, nil)
    case .mistaken: return ("mistaken", nil, nil)
    case .write(let record, _):
      return ("write", record.value(at: G.name, layout), record.value(at: G.population, layout))
    }
  }

  @Test func `error: the save fails`() {
    #expect(resolve(.error, ours: ours, theirs: theirs).kind == "fail")
  }

  @Test func `store trump: their name, our population`() {
    #expect(
      resolve(.mergeByPropertyStoreTrump, ours: ours, theirs: theirs) == ("write", "C", 2))
  }

  @Test func `object trump: our name, our population`() {
    #expect(
      resolve(.mergeByPropertyObjectTrump, ours: ours, theirs: theirs) == ("write", "B", 2))
  }

  @Test func `overwrite and rollback take one side whole`() {
    #expect(resolve(.overwrite, ours: ours, theirs: theirs) == ("write", "B", 2))
    #expect(resolve(.rollback, ours: ours, theirs: theirs).kind == "keep")
  }

  @Test(
    arguments: [
      (MergePolicy.mergeByPropertyStoreTrump, "keep"), (.rollback, "keep"),
      (.mergeByPropertyObjectTrump, "keep"), (.overwrite, "write"),
    ])
  func `an object that they deleted and we updated`(policy: MergePolicy, result: String) {
    #expect(resolve(policy, ours: ours, theirs: nil).kind == result)
  }

  @Test(
    arguments: [
      (MergePolicy.mergeByPropertyStoreTrump, "keep"), (.rollback, "keep"),
      (.mergeByPropertyObjectTrump, "delete"), (.overwrite, "delete"),
    ])
  func `an object that we deleted and they updated`(policy: MergePolicy, result: String) {
    #expect(resolve(policy, ours: nil, theirs: theirs).kind == result)
  }

  @Test func `a conflict shows the three states by property name, without to-many relationships`() {
    let conflict = MergePolicy.Conflict(
      objectID: ObjectID(store: G.schema.store, key: key), base: base, ours: nil, theirs: theirs,
      changed: [], schema: G.schema)
    #expect(
      conflict.baseValues == [
        "name": .string("A"), "population": .int(1), "country": .null, "twin": .null,
      ])
    #expect(conflict.ourValues == nil)
    #expect(conflict.theirValues?["name"] == .string("C"))
  }
}
