// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataRecord
import StrataTestSupport

private enum Vote: String { case yes, no }

@Entity private final class Ballot: ManagedObject {
  var isYes: Bool
}

extension Ballot {
  /// A computed property instead of an attribute.
  fileprivate var vote: Vote {
    get { isYes ? .yes : .no }
    set { isYes = newValue == .yes }
  }
}

/// A class that is written by hand: two properties have each other's slot, one reads another type
/// than its slot is described with, and one has no description.
private final class Crossed: ManagedObject, Entity {
  var name: String {
    get { self[slot: 1] }
    set { self[slot: 1] = newValue }
  }
  var number: Int {
    get { self[slot: 0] }
    set { self[slot: 0] = newValue }
  }
  var vote: Vote {
    get { self[slot: 1] }
    set { self[slot: 1] = newValue }
  }
  var rest: Int {
    get { self[slot: 2] }
    set { self[slot: 2] = newValue }
  }

  private static let description: EntityDescription = EntityDescription(
    entity: "Crossed", of: Crossed.self,
    properties: [
      .attribute("name", \Crossed.name, as: String.self),
      .attribute("number", \Crossed.number, as: Int.self),
    ])
  override class var entity: EntityDescription { description }
}

private struct Silent: Codable, Sendable {
  struct Refusal: Error {}

  func encode(to _: any Encoder) throws { throw Refusal() }
}

/// A value that does not decode from the bytes that it encodes to.
private struct Fading: Codable, Sendable {
  var text = "a"

  init() {}

  init(from _: any Decoder) throws { throw Silent.Refusal() }
}

@Entity private final class Recording: ManagedObject {
  var sound: Silent?
}

extension Recording {
  fileprivate var echo: Fading {
    get { Fading() }
    set {}
  }
}

private enum Former {
  @Entity final class Note: ManagedObject {
    var text: String
  }
}

private enum Present {
  @Entity final class Note: ManagedObject {
    var text: Data
  }
}

/// An actor whose isolation a test claims.
private actor Clerk: ContextActor {
  let executor: ContextExecutor

  init(parent: some ContextParent) { executor = ContextExecutor(parent: parent) }

  nonisolated func claim() { assumeIsolated { _ in } }
}

/// Two contexts of one store, with an object of each kind in the first one.
private struct Pair {
  let context: ManagedObjectContext
  let other: ManagedObjectContext
  let country: Country
  let route: Route
  /// Of the other context.
  let city: City

  init() throws {
    let coordinator = try geography().coordinator
    context = ManagedObjectContext(parent: coordinator)
    other = ManagedObjectContext(parent: coordinator)
    country = context.country("IR")
    route = Route(context: context)
    route.stops.append(context.city("Yazd"))
    city = other.city("Shiraz")
  }
}

extension Misuse {
  /// Makes the mistake.
  func commit() throws {
    switch self {
    case .limit: _ = City.all.limit(-1)
    case .offset: _ = City.all.offset(-2)
    case .rowLimit: _ = City.all.select(\.name).limit(-1)
    case .rowOffset: _ = City.all.select(\.name).offset(-2)
    case .prefetchedCalculation: _ = City.all.prefetching { $0.population + 1 }
    case .batchSize: _ = try Pair().context.fetch(City.all, inBatchesOf: 0)
    case .indexBeyondBatches:
      let pair = try Pair()
      _ = try pair.context.fetch(City.all, inBatchesOf: 2)[1]
    case .rowsPerTransaction: _ = BatchInsertRequest(City.self).committing(every: 0)
    case .objectsPerTransaction: _ = BatchUpdateRequest(City.all).committing(every: -1)
    case .computedRowValue:
      let container = try PersistentContainer(inMemory: .init(Ballot.self))
      try container.coordinator.execute(BatchInsertRequest(Ballot.self), rows: [1]) { row, _ in
        _ = row.vote
      }
    case .rollbackInRow: try Self.call(duringSaveInRow: { $0.rollback() })
    case .resetInRow: try Self.call(duringSaveInRow: { $0.reset() })
    case .classOutsideOfModel: _ = Nation(context: try Pair().context)
    case .abstractClass:
      _ = Member(context: ManagedObjectContext(parent: try republic().coordinator))
    case .abstractUpsert:
      let context = ManagedObjectContext(parent: try republic().coordinator)
      _ = try context.upsert(Member.self, matching: \.email, equals: "a")
    case .valueOfOtherType, .slotOfOtherType, .slotBeyondClass, .setSlotBeyondClass:
      let container = try PersistentContainer(inMemory: .init(Crossed.self))
      let context = ManagedObjectContext(parent: container.coordinator)
      let crossed = Crossed(context: context)
      switch self {
      case .valueOfOtherType: _ = crossed.vote
      case .slotBeyondClass: _ = crossed.rest
      case .setSlotBeyondClass: crossed.rest = 1
      default: crossed.name = "Yazd"
      }
    case .unencodableDefault:
      _ = PropertyDescription.attribute(
        "sound", \Recording.sound, as: Silent.self, default: Silent())
    case .unreadableDefault:
      _ = PropertyDescription.attribute(
        "echo", \Recording.echo, as: Fading.self, default: Fading())
    case .unknownRelationship: _ = try Pair().city.hasFault(forRelationshipNamed: "river")
    case .unknownRelationshipIDs: _ = try Pair().city.objectIDs(forRelationshipNamed: "river")
    case .mergedObjectOf4GiB:
      var arena = RecordArena()
      _ = arena.append(byteCount: 1 << 32) { _ in }
    default: try commitWithObjects()
    }
  }

  private func commitWithObjects() throws {
    let pair = try Pair()
    switch self {
    case .assignedObject: pair.city.country = pair.country
    case .insertedObject: pair.country.cities.insert(pair.city)
    case .lookedUpMember: _ = pair.country.cities.contains(pair.city)
    case .removedMember: pair.country.cities.remove(pair.city)
    case .replacedMembers: pair.country.cities.replace(with: [pair.city])
    case .appendedObject: pair.route.stops.append(pair.city)
    case .listedObject: _ = pair.route.stops.firstIndex(of: pair.city)
    case .deletedObject: pair.context.delete(pair.city)
    case .refreshedObject: pair.context.refresh(pair.city, mergeChanges: true)
    case .checkedObject: try pair.context.detectConflicts(for: pair.city)
    case .movedObject:
      try pair.context.assign(pair.city, to: geography().coordinator.stores[0])
    case .memberOfOtherEntity: try pair.country.members(for: "cities").insert(pair.country)
    case .listMemberOfOtherEntity:
      try pair.route.orderedMembers(for: "stops").append(pair.country)
    case .indexBeyondList: _ = pair.route.stops[1]
    case .indexBeforeList: _ = pair.route.stops[-1]
    case .insertionBeyondList:
      pair.route.stops.insert(pair.context.city("Qom"), at: 2)
    case .moveFromBeyondList: pair.route.stops.move(from: 1, to: 0)
    case .moveToBeyondList: pair.route.stops.move(fromOffsets: [0], toOffset: 2)
    case .removalBeyondList: pair.route.stops.remove(at: 1)
    case .placeBeyondList, .sectionBeyondList, .sectionBeyondSnapshot,
      .indexBeyondFetchedObjects:
      try commitInFetchedList(of: pair.context)
    case .groupEndWithoutBeginning, .undoInGroup, .redoInGroup, .registrationNotDisabled,
      .managerOfTwoContexts:
      commitInUndoManager(of: pair)
    default: try commitInStore()
    }
  }

  private func commitInFetchedList(of context: ManagedObjectContext) throws {
    let list = FetchedResultsController(City.all.sorted(by: \.name), context: context)
    try list.performFetch()
    switch self {
    case .placeBeyondList: _ = list.object(at: FetchedIndexPath(item: 1, section: 0))
    case .sectionBeyondList: _ = list.section(at: 1)
    case .sectionBeyondSnapshot: _ = list.snapshot.section(at: 1)
    default: _ = list.fetchedObjects[1]
    }
  }

  private func commitInUndoManager(of pair: Pair) {
    let manager = ManagedObjectContext.UndoManager()
    pair.context.undoManager = manager
    switch self {
    case .groupEndWithoutBeginning: manager.endUndoGrouping()
    case .registrationNotDisabled: manager.enableUndoRegistration()
    case .managerOfTwoContexts: pair.other.undoManager = manager
    default:
      manager.beginUndoGrouping()
      if self == .undoInGroup { manager.undo() } else { manager.redo() }
    }
  }

  private func commitInStore() throws {
    switch self {
    case .noStores: _ = try PersistentStoreCoordinator(stores: [], model: geographyModel())
    case .upsertOfFewerValues:
      let context = ManagedObjectContext(parent: try republic().coordinator)
      let nation = context.nation("A")
      try context.upsert(
        Seat.self, from: [2, 1],
        matching: { count in
          let values: [UniqueValue<Seat>] = [
            UniqueValue(\.number, equals: 1), UniqueValue(\.nation, equals: nation),
          ]
          return Array(values.prefix(count))
        }, with: { _, _ in })
    case .foreignIsolation: Clerk(parent: try geography().root).claim()
    case .migrationBatchSize, .migrationOnOtherThread: try commitInMigration()
    default: try commitWithoutContext()
    }
  }

  private func commitWithoutContext() throws {
    var context: ManagedObjectContext? = ManagedObjectContext(parent: try geography().coordinator)
    guard let country = context?.country("IR"), let city = context?.city("Yazd", in: country)
    else { return }
    try context?.save()
    if self == .goneContextValue { context?.refresh(city, mergeChanges: false) }
    context = nil
    switch self {
    case .goneContextValue: _ = city.name
    case .goneContextRelationship: _ = city.country
    case .goneContextMembers: _ = country.cities.count
    case .goneContextAttribute: city.population = 6
    default: _ = city.changedValues()
    }
  }

  private func commitInMigration() throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    let (former, present) = try (
      ManagedObjectModel(Former.Note.self), ManagedObjectModel(Present.Note.self)
    )
    let container = try PersistentContainer(at: url, model: former, durability: .none)
    try container.root.performAndWait { context in
      Former.Note(context: context).text = "a"
      try context.save()
    }
    let isOnOtherThread = self == .migrationOnOtherThread
    let stage = MigrationStage("a", from: former, to: present, converting: ["Note.text"]) {
      migration in
      if !isOnOtherThread { return try migration.forEach("Note", batchSize: 0) { _ in } }
      // Safety: none; this is the mistake: the context is handed to another thread.
      nonisolated(unsafe) let context = migration.context
      try elsewhere { _ = try context.count(Present.Note.all) }
    }
    _ = try PersistentContainer(
      at: folder.file("store"), model: present, migratingWith: MigrationPlan(stage),
      durability: .none)
  }

  /// Calls `body` in the closure of a batch, with a context whose save waits for the batch.
  private static func call(
    duringSaveInRow body: @escaping @Sendable (ManagedObjectContext) -> Void
  ) throws {
    let coordinator = try geography().coordinator
    let queue = ContextQueue(parent: coordinator)
    try coordinator.execute(BatchInsertRequest(City.self), rows: [1]) { _, _ in
      try queue.performAndWait { _ = $0.city("Yazd") }
      let hasBegun = DispatchSemaphore(value: 0)
      let observer = NotificationCenter.default.addObserver(
        forName: ManagedObjectContext.willSaveNotification, object: queue.layer, queue: nil
      ) { _ in hasBegun.signal() }
      Task { try await queue.save() }
      hasBegun.wait()
      NotificationCenter.default.removeObserver(observer)
      try queue.performAndWait { body($0) }
    }
  }
}
