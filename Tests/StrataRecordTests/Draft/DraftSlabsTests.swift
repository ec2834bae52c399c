// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
import StrataRecord
import StrataTestSupport
import Testing

/// A draft in slabs beside what it should hold.
private struct ModelledDraft {
  let draft: DraftReference
  let base: Record?
  /// What `base` was.
  let former: [Value]
  var model: [Value]
  var set = SlotSet()
}

@Suite struct `Drafts that lie in slabs` {
  private let kinds = everyKind + everyKind
  private let layout: RecordLayout

  init() { layout = makeLayout(kinds) }

  private func make(
    _ random: inout SeededGenerator, _ arena: inout RecordArena, _ slabs: inout DraftSlabs
  ) -> ModelledDraft {
    let former = kinds.map { random.chance(3) ? .null : random.value($0) }
    let base = random.chance(3) ? nil : makeRecord(former, layout)
    guard let base else {
      // Some begin with more room than a slab has.
      let room = random.chance(20) ? 80_000 : Int.random(in: 0...300, using: &random)
      let draft = DraftReference.make(layout, base: nil, heapByteCount: room, in: &slabs)
      let nothing: [Value] = kinds.map { _ in .null }
      return ModelledDraft(draft: draft, base: nil, former: nothing, model: nothing)
    }
    let draft =
      random.chance(2)
      ? DraftReference.make(patching: base, of: layout, in: &arena, &slabs)
      : DraftReference.make(layout, base: base, in: &slabs)
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

  @Test func `keep each its values, in whatever order others are changed, ended and discarded`() {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    for _ in 0..<4 {
      var arena = RecordArena()
      var slabs = DraftSlabs()
      var live: [ModelledDraft] = []
      var records: [(Record, [Value])] = []
      for _ in 0..<3_000 {
        if live.isEmpty || random.chance(8) { live.append(make(&random, &arena, &slabs)) }
        let index = Int.random(in: 0..<live.count, using: &random)
        change(&live[index], &random)
        if random.chance(20) {
          let ended = live.remove(at: index)
          check(ended, seed)
          let encoded = ended.draft.end(into: &arena)
          #expect(encoded.record == makeRecord(ended.model, layout), "seed \(seed)")
          #expect(encoded.changed == ended.set, "seed \(seed)")
          if let base = ended.base {
            let differing = layout.differingSlots(base, encoded.record)
            #expect(differing.isSubset(of: encoded.changed), "seed \(seed)")
          }
          records.append((encoded.record, ended.model))
          if let base = ended.base {
            #expect(zip(values(base, layout), ended.former).allSatisfy(isSame), "seed \(seed)")
          }
        } else if random.chance(40) {
          live.remove(at: index).draft.discard()
        }
      }
      // Those that are left outlive what they were made in.
      slabs = DraftSlabs()
      let others = (0..<live.count).map { _ in make(&random, &arena, &slabs) }
      for index in live.indices {
        change(&live[index], &random)
        check(live[index], seed)
        live[index].draft.discard()
      }
      for drafted in others {
        check(drafted, seed)
        drafted.draft.discard()
      }
      for (record, model) in records {
        #expect(zip(values(record, layout), model).allSatisfy(isSame), "seed \(seed)")
      }
    }
  }

  @Test func `are encoded to what drafts by themselves are`() {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    var arena = RecordArena()
    var slabs = DraftSlabs()
    for _ in 0..<200 {
      var drafted = make(&random, &arena, &slabs)
      let alone = Draft(layout: layout, base: drafted.base)
      for _ in 0..<Int.random(in: 0...30, using: &random) {
        change(&drafted, &random)
        for slot in kinds.indices { alone.setValue(drafted.model[slot], at: slot) }
      }
      let encoded = drafted.draft.end(into: &arena)
      #expect(encoded.record == alone.encode(into: &arena), "seed \(seed)")
      #expect(encoded.changed == alone.changed, "seed \(seed)")
    }
  }

  @Test func `that patch a copy leave the record that they began with as it is`() {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    let layout = makeLayout(everyKind)
    let fixed = everyKind.indices.filter { !layout.variableSlots.contains($0) }
    var arena = RecordArena()
    var slabs = DraftSlabs()
    for _ in 0..<50 {
      let former = everyKind.map { random.chance(3) ? .null : random.value($0) }
      let bases = [makeRecord(former, layout), makeRecord(former, layout)]
      let drafts = bases.map {
        DraftReference.make(patching: $0, of: layout, in: &arena, &slabs)
      }
      var models = [former, former]
      for _ in 0..<20 {
        let (which, slot) = (random.chance(2) ? 0 : 1, fixed.randomElement(using: &random)!)
        let value = random.chance(4) ? .null : random.value(everyKind[slot])
        drafts[which].setValue(value, at: slot)
        models[which][slot] = value
      }
      for which in 0...1 {
        let encoded = drafts[which].end(into: &arena)
        #expect(encoded.record == makeRecord(models[which], layout), "seed \(seed)")
        #expect(
          layout.differingSlots(bases[which], encoded.record).isSubset(of: encoded.changed),
          "seed \(seed)")
        #expect(zip(values(bases[which], layout), former).allSatisfy(isSame), "seed \(seed)")
      }
    }
  }
}
