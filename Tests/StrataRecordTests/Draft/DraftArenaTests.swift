// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
import StrataRecord
import StrataTestSupport
import Testing

/// A draft of a shared arena beside the values that it should hold.
private struct ModelledDraft {
  let draft: Draft
  let base: Record?
  /// The former content of `base`.
  let former: [PropertyValue]
  var model: [PropertyValue]
  var set = SlotSet()
}

@Suite struct `Drafts that share an arena` {
  private let kinds = everyKind + everyKind
  private let layout: RecordLayout

  init() { layout = makeLayout(kinds) }

  private func make(
    _ random: inout SeededGenerator, _ arena: inout RecordArena, _ drafts: inout DraftArena
  ) -> ModelledDraft {
    let former = kinds.map { random.chance(3) ? .null : random.value($0) }
    let base = random.chance(3) ? nil : makeRecord(former, layout)
    guard let base else {
      // Some begin with more room than a slab has.
      let room = random.chance(20) ? 80_000 : Int.random(in: 0...300, using: &random)
      let draft = Draft.make(layout, base: nil, heapByteCount: room, in: &drafts)
      let nothing: [PropertyValue] = kinds.map { _ in .null }
      return ModelledDraft(draft: draft, base: nil, former: nothing, model: nothing)
    }
    let draft =
      random.chance(2)
      ? Draft.make(patching: base, of: layout, in: &arena, &drafts)
      : Draft.make(layout, base: base, in: &drafts)
    return ModelledDraft(draft: draft, base: base, former: former, model: former)
  }

  private func change(_ drafted: inout ModelledDraft, _ random: inout SeededGenerator) {
    let slot = Int.random(in: 0..<kinds.count, using: &random)
    var value = random.chance(4) ? .null : random.value(kinds[slot])
    if case .string = value { value = .string(random.text(random.chance(10) ? 2_000 : 20)) }
    if drafted.draft.setValue(value, at: slot) { drafted.set.insert(slot) }
    drafted.model[slot] = value
  }

  private func check(_ drafted: ModelledDraft, _ seed: UInt64) {
    for slot in kinds.indices {
      let found = drafted.draft.value(at: slot, store: sampleStore)
      #expect(isSame(found, drafted.model[slot]), "slot \(slot), seed \(seed)")
    }
  }

  @Test func `keep each its values, in whatever order others are changed, encoded and dropped`() {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    for _ in 0..<4 {
      var arena = RecordArena()
      var drafts = DraftArena()
      var live: [ModelledDraft] = []
      var records: [(Record, [PropertyValue])] = []
      for _ in 0..<3_000 {
        if live.isEmpty || random.chance(8) { live.append(make(&random, &arena, &drafts)) }
        let index = Int.random(in: 0..<live.count, using: &random)
        change(&live[index], &random)
        if random.chance(20) {
          let ended = live.remove(at: index)
          check(ended, seed)
          let record = ended.draft.encode(into: &arena)
          #expect(record == makeRecord(ended.model, layout), "seed \(seed)")
          #expect(ended.draft.changed == ended.set, "seed \(seed)")
          if let base = ended.base {
            let differing = layout.differingSlots(base, record)
            #expect(differing.isSubset(of: ended.draft.changed), "seed \(seed)")
          }
          records.append((record, ended.model))
          if let base = ended.base {
            #expect(zip(values(base, layout), ended.former).allSatisfy(isSame), "seed \(seed)")
          }
        } else if random.chance(40) {
          live.remove(at: index)
        }
      }
      for drafted in live { check(drafted, seed) }
      // The records that drafts were encoded to outlive the arena of the drafts.
      drafts = DraftArena()
      for (record, model) in records {
        #expect(zip(values(record, layout), model).allSatisfy(isSame), "seed \(seed)")
      }
    }
  }

  @Test func `are encoded as single drafts are`() {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    var arena = RecordArena()
    var drafts = DraftArena()
    for _ in 0..<200 {
      var drafted = make(&random, &arena, &drafts)
      var own = DraftArena()
      let alone = Draft.make(layout, base: drafted.base, in: &own)
      for _ in 0..<Int.random(in: 0...30, using: &random) {
        change(&drafted, &random)
        for slot in kinds.indices { alone.setValue(drafted.model[slot], at: slot) }
      }
      let record = drafted.draft.encode(into: &arena)
      #expect(record == alone.encode(into: &arena), "seed \(seed)")
      #expect(drafted.draft.changed == alone.changed, "seed \(seed)")
    }
  }

  @Test func `that patch a copy leave the record that they began with as it is`() {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    let layout = makeLayout(everyKind)
    let fixed = everyKind.indices.filter { !layout.variableSlots.contains($0) }
    var arena = RecordArena()
    var arenaOfDrafts = DraftArena()
    for _ in 0..<50 {
      let former = everyKind.map { random.chance(3) ? .null : random.value($0) }
      let bases = [makeRecord(former, layout), makeRecord(former, layout)]
      let drafts = bases.map {
        Draft.make(patching: $0, of: layout, in: &arena, &arenaOfDrafts)
      }
      var models = [former, former]
      for _ in 0..<20 {
        let (which, slot) = (random.chance(2) ? 0 : 1, fixed.randomElement(using: &random)!)
        let value = random.chance(4) ? .null : random.value(everyKind[slot])
        drafts[which].setValue(value, at: slot)
        models[which][slot] = value
      }
      for which in 0...1 {
        let record = drafts[which].encode(into: &arena)
        #expect(record == makeRecord(models[which], layout), "seed \(seed)")
        #expect(
          layout.differingSlots(bases[which], record).isSubset(of: drafts[which].changed),
          "seed \(seed)")
        #expect(zip(values(bases[which], layout), former).allSatisfy(isSame), "seed \(seed)")
      }
    }
  }
}
