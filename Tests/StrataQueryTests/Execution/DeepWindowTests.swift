// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataModel
import StrataQuery
import StrataRecord
import Testing

/// Cities of which number n has n people, made when they are asked for.
private final class PlainCities: Snapshot {
  let generation: UInt64 = 1
  let count: Int
  private let world: World
  private let index: PropertyNumber
  private(set) var recordReadCount = 0

  init(_ count: Int, in world: World) throws {
    self.count = count
    self.world = world
    let slot = try #require(world.city.description.slot(named: "population"))
    index = try #require(world.city.index(at: slot)).number
  }

  func key(_ number: Int) -> ObjectKey {
    ObjectKey(entity: world.city.number, serial: UInt64(number + 1))
  }

  func record(for key: ObjectKey) -> StoredRecord? {
    recordReadCount += 1
    var drafts = DraftArena()
    let draft = Draft.make(world.city.layout, base: nil, in: &drafts)
    draft.set(Int(key.serial) - 1, at: 2)
    var arena = RecordArena()
    return StoredRecord(record: draft.encode(into: &arena), generation: 1)
  }

  func scanIndex(
    _ index: PropertyNumber, in range: KeyRange, isReversed: Bool,
    _ body: (UnsafeRawBufferPointer, ObjectKey) throws -> ScanStep
  ) throws {
    // The requests here walk one index, all of it or the entries of values that were never set.
    guard index == self.index, range.upper == nil else { return }
    for number in isReversed ? Array((0..<count).reversed()) : Array(0..<count) {
      var entry: [UInt8] = []
      KeyEncoder.append(value: .int(Int64(number)), kind: .attribute(.int64), to: &entry)
      KeyEncoder.append(objectKey: key(number), to: &entry)
      if try entry.withUnsafeBytes({ try body($0, key(number)) }) == .stop { return }
    }
  }

  func scanKeys(of entity: EntityNumber, _ body: (ObjectKey) throws -> ScanStep) throws {
    guard entity == world.city.number else { return }
    for number in 0..<count where try body(key(number)) == .stop { return }
  }

  func externalData(of key: ObjectKey, at slot: Int) -> ExternalData? { nil }

  func contains(_ key: ObjectKey) -> Bool { Int(key.serial) <= count }
  func scanRecords(
    of entity: EntityNumber, _ body: (ObjectKey, UInt64, UnsafeRawBufferPointer) throws -> ScanStep
  ) {}
  func scanLinks(at place: LinkPlace, _ body: (ObjectKey, UInt64) throws -> ScanStep) {}
  func link(at place: LinkPlace, to target: ObjectKey) -> UInt64? { nil }
  func count(of entity: EntityNumber) -> Int { entity == world.city.number ? count : 0 }
}

/// Beyond 100,000 objects, among 100,100 in the store; above it a context has deleted the first and
/// the third, moved the second to the end, and inserted one with 50 people.
@Suite struct `A window deep inside` {
  private let world: World
  private let store: PlainCities
  private let view: ReadView

  init() throws {
    let world = try World()
    let store = try PlainCities(100_100, in: world)
    func record(_ population: Int) -> Record {
      var drafts = DraftArena()
      let draft = Draft.make(world.city.layout, base: nil, in: &drafts)
      draft.set(population, at: 2)
      var arena = RecordArena()
      return draft.encode(into: &arena)
    }
    func base(_ number: Int) -> Base {
      Base(record: record(number), generation: 1)
    }
    let inserted = ObjectKey(entity: world.city.number, serial: 200_000)
    let segment = Segment(
      changes: [
        store.key(0): .delete(base: base(0)), store.key(2): .delete(base: base(2)),
        store.key(1): .update(record(200_000), base: base(1), slots: SlotSet()),
        inserted: .insert(record(50), slots: SlotSet()),
      ], links: LinkChanges(), schema: world.schema)
    view = ReadView(
      own: Overlay([segment]), inherited: [], snapshot: store, schema: world.schema)
    self.world = world
    self.store = store
  }

  private func check(
    _ request: FetchRequest<City>, _ expected: [ObjectKey], entries: Int, records: Int,
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    let plan = try QueryPlan(
      request.offset(100_000).limit(50), entity: world.city, schema: world.schema)
    #expect(try plan.fetch(in: view).map(\.key) == expected, sourceLocation: location)
    let explanation = try plan.explanation(of: .objects, in: view)
    #expect(explanation.recordsRead == records, "\(explanation)", sourceLocation: location)
    #expect(explanation.entriesRead == entries, "\(explanation)", sourceLocation: location)
    #expect(
      try plan.explanation(of: .ids, in: view).recordsRead == records - 50,
      sourceLocation: location)
  }

  @Test func `of an index's order reads the records of the window alone`() throws {
    // Two less before it, and one more. This store knows no blocks, so the entries are walked.
    try check(
      FetchRequest<City>().sorted(by: \.population), (100_002..<100_052).map(store.key),
      entries: 100_053, records: 50)
  }

  @Test func `of the reverse order does too`() throws {
    // The moved one comes first. The last entry shows that the one before it has no equals.
    try check(
      FetchRequest<City>().sorted(by: \.population, order: .reverse),
      [Int](stride(from: 100, to: 50, by: -1)).map(store.key), entries: 100_051, records: 50)
  }

  @Test func `of the order of creation does too`() throws {
    try check(
      FetchRequest<City>(), (100_002..<100_052).map(store.key), entries: 100_055, records: 50)
  }
}
