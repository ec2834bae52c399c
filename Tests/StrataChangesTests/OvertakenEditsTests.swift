// SPDX-License-Identifier: Apache-2.0
import PendingModel
import StrataChanges
import StrataModel
import StrataRecord
import Testing

private typealias G = Geography

/// A context's unsaved change of a population, and a child's save of another one.
@Suite struct `A child's save over an unsaved change` {
  private let key = G.key("City", 1)
  private let stored = G.city(name: "A", population: 107)

  private func conflicts(
    _ ours: Change, _ pushed: Change, then later: Change? = nil
  ) -> [MergePolicy.Conflict] {
    var edits = OvertakenEdits()
    var working = Overlay([segment(ours)])
    for change in [pushed] + (later.map { [$0] } ?? []) {
      edits.note(replacedBy: segment(change), in: working, schema: G.schema)
      working =
        Composition.compose(
          pushed: segment(change), onto: working, on: Ground(), schema: G.schema
        ).settled
    }
    return edits.conflicts(in: working, schema: G.schema)
  }

  private func segment(_ change: Change) -> Segment {
    Segment(changes: ChangeTable([key: change]), schema: G.schema)
  }

  private func update(_ population: Int64, _ base: Base) -> Change {
    .update(
      G.city(from: base.record, population: population), base: base, slots: [G.population])
  }

  private var committed: Base { Base(record: stored, generation: 1) }

  @Test func `overtakes it if the child was shown another value`() {
    let found = conflicts(update(117, committed), update(108, committed))
    #expect(found.count == 1)
    #expect(found.first?.baseValues?["population"] == .int(107))
    #expect(found.first?.ourValues?["population"] == .int(117))
    #expect(found.first?.theirValues?["population"] == .int(108))
  }

  @Test func `does not if the child was shown that change`() {
    let ours = update(108, committed)
    let shown = committed.over(ours.record!)
    #expect(conflicts(ours, update(109, shown)).isEmpty)
  }

  /// A commit of an earlier change moves the origins of all that wait.
  @Test func `does not if the child was shown that change, and its own was moved since`() {
    let ours = update(108, committed)
    let moved = committed.over(ours.record!).moved(to: stored)
    #expect(conflicts(ours, update(109, moved)).isEmpty)
  }

  @Test func `does not if it was preceded by another one of the same property`() {
    let ours = update(117, committed)
    let first = update(108, committed)
    let second = update(109, committed.over(first.record!))
    let found = conflicts(ours, first, then: second)
    #expect(found.count == 1)
    #expect(found.first?.theirValues?["population"] == .int(109))
  }
}
