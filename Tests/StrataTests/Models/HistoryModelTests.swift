// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Strata
import StrataChanges
import StrataModel
import StrataRecord
import StrataTestSupport
import Testing

/// The values of all objects in a store, each property as a text.
private struct StoredState {
  private(set) var objects: [ObjectID: [String: String]] = [:]

  init(_ coordinator: PersistentStoreCoordinator) throws {
    let (schema, snapshot) = (coordinator.schema, try coordinator.snapshot())
    for entity in schema.entities where !entity.description.isAbstract {
      var keys: [ObjectKey] = []
      try snapshot.scanKeys(of: entity.number) { key in
        keys.append(key)
        return .more
      }
      for key in keys {
        objects[ObjectID(store: schema.store, key: key)] = try Self.values(
          of: key, entity, snapshot)
      }
    }
  }

  private static func values(
    of key: ObjectKey, _ entity: EntitySchema, _ snapshot: any Snapshot
  ) throws -> [String: String] {
    guard let record = try snapshot.record(for: key)?.record else { return [:] }
    var values: [String: String] = [:]
    for (slot, property) in entity.description.properties.enumerated() {
      switch entity.relationships[slot]?.storage {
      case .links(let number, _):
        var members: [String] = []
        try snapshot.scanLinks(at: LinkPlace(number, key)) { member, position in
          members.append("\(member.rawValue) \(position)")
          return .more
        }
        values[property.name] = members.joined(separator: ", ")
      case .inverseSlot: continue
      case .slot, nil:
        let value = record.value(at: slot, layout: entity.layout, store: entity.store)
        let stamp = record.stamp(at: slot, entity.layout)
        values[property.name] = "\(value) \(String(describing: stamp))"
      }
    }
    return values
  }

  /// The changes that lead from `earlier` to this state, in words.
  func changes(since earlier: StoredState) -> Set<String> {
    var changes: Set<String> = []
    for (id, values) in objects {
      guard let former = earlier.objects[id] else {
        changes.insert("insert \(id)")
        continue
      }
      for name in values.keys where values[name] != former[name] {
        changes.insert("update \(id) \(name)")
      }
    }
    for id in earlier.objects.keys where objects[id] == nil { changes.insert("delete \(id)") }
    return changes
  }
}

/// Random saves and batches in a warehouse, whose history must equal the difference of the
/// store's states.
private struct RecordedWarehouse: Model {
  var random: ModelRandom
  private let container: PersistentContainer
  private let queues: [ContextQueue]
  private var state: StoredState
  private var token: HistoryToken

  init(_ setup: ModelRandom) throws {
    random = setup
    container = try republic()
    queues = [
      container.root, ContextQueue(parent: container.coordinator),
      ContextQueue(parent: container.root),
    ]
    for queue in queues {
      try queue.performAndWait { $0.mergePolicy = .mergeByPropertyObjectTrump }
    }
    let seed = random.next()
    try container.root.performAndWait { context in
      var random = SeededGenerator(seed: seed)
      context.fillWarehouse(20, &random)
      try context.save()
    }
    let store = container.coordinator.store
    let isKept = DispatchSemaphore(value: 0)
    store.edit(.keep(HistoryRetention())) { _ in isKept.signal() }
    isKept.wait()
    state = try StoredState(container.coordinator)
    token = try #require(try store.historyStatus()).newestToken
  }

  static var operations: [ModelOperation<RecordedWarehouse>] {
    [
      work("insert", weight: 2) { context, number in
        let crate = Crate(context: context)
        crate.label = "new \(number)"
        let racks = try context.fetch(Rack.all.sorted(by: \.code))
        if !racks.isEmpty { racks[number % racks.count].wares.append(crate) }
      },
      work("update", weight: 3) { context, number in
        let wares = try context.fetch(Ware.all.sorted(by: \.label))
        guard !wares.isEmpty else { return }
        let ware = wares[number % wares.count]
        ware.value = number
        if number.isMultiple(of: 3) { ware.picture = Data([UInt8(number % 200)]) }
        if number.isMultiple(of: 4) { ware.rack = nil }
      },
      work("link", weight: 3) { context, number in
        let stickers = try context.fetch(Sticker.all)
        let wares = try context.fetch(Ware.all.sorted(by: \.label))
        guard !wares.isEmpty, !stickers.isEmpty else { return }
        let (ware, sticker) = (wares[number % wares.count], stickers[number % stickers.count])
        if ware.stickers.contains(sticker) {
          ware.stickers.remove(sticker)
        } else {
          ware.stickers.insert(sticker)
        }
        guard let memo = try context.fetch(Memo.all.limit(1)).first else { return }
        memo.mentioned.insert(ware)
      },
      work("delete") { context, number in
        let wares = try context.fetch(Ware.all.sorted(by: \.label))
        if !wares.isEmpty { context.delete(wares[number % wares.count]) }
      },
      work("save", weight: 4) { context, _ in try? context.save() },
      work("roll back") { context, _ in context.rollback() },
      ModelOperation("batch") { world in
        let number = world.random.below(100)
        _ = try? world.container.coordinator.execute(
          BatchDeleteRequest(Ware.where { $0.value == number || $0.label == "new \(number)" }))
      },
      ModelOperation("batch of all") { world in
        if !world.random.chance(8) { return }
        _ = try? world.container.coordinator.execute(BatchDeleteRequest(Memo.all))
        _ = try? world.container.coordinator.execute(BatchDeleteRequest(Barrel.all))
      },
    ]
  }

  private static func work(
    _ name: String, weight: Int = 1,
    _ body: @escaping @Sendable (ManagedObjectContext, Int) throws -> Void
  ) -> ModelOperation<RecordedWarehouse> {
    ModelOperation(name, weight: weight) { world in
      let (place, number) = (world.random.below(3), world.random.below(100))
      world.random.note("  in \(place), \(number)")
      try world.queues[place].performAndWait { try body($0, number) }
      if name == "save", place == 2 { try? world.queues[0].performAndWait { try $0.save() } }
    }
  }

  /// Each step commits once or twice, so the changes of its transactions are laid together.
  mutating func check() throws {
    let present = try StoredState(container.coordinator)
    let transactions = try container.coordinator.fetchHistory(HistoryRequest(after: token))
    var told: [ObjectID: (kind: HistoryChange.Kind, properties: Set<String>)] = [:]
    for change in transactions.flatMap({ Array($0.changes) }) {
      if transactions.count == 1, told[change.objectID] != nil {
        throw ModelDifference("\(change.objectID) has two changes")
      }
      let left = change.tombstone.mapValues { "\($0) nil" }
      let isWare = ["Crate", "Barrel"].contains(change.objectID.entityName)
      let former = state.objects[change.objectID]
      let label = change.kind == .delete && isWare ? former?["label"] : nil
      try expectSame(left["label"], label, "the value that \(change.objectID) leaves")
      let earlier = told[change.objectID]
      told[change.objectID] = (
        earlier?.kind == .insert ? .insert : change.kind,
        earlier?.properties.union(change.updatedProperties) ?? Set(change.updatedProperties)
      )
    }
    var found: Set<String> = []
    for (id, change) in told {
      switch change.kind {
      case .insert: found.insert("insert \(id)")
      case .delete: found.insert("delete \(id)")
      case .update:
        // The order of a rack's wares is kept with the rack, and is no value of it.
        for name in change.properties where id.entityName != "Rack" || name != "wares" {
          found.insert("update \(id) \(name)")
        }
      }
    }
    let expected = present.changes(since: state)
    try expectSame(found.subtracting(expected).sorted(), [], "only in the history")
    try expectSame(expected.subtracting(found).sorted(), [], "not in the history")
    if !transactions.isEmpty { random.count("transactions") }
    state = present
    token = transactions.last?.token ?? token
  }
}

@Suite struct `The history of random work` {
  @Test func `is what has changed in the store`() async {
    let failure = await ModelTest(
      "history", sequences: 60, steps: 40, meets: ["transactions": 100], width: 2
    ) { try RecordedWarehouse($0) }.firstFailure()
    #expect(failure == nil)
  }
}
