// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Foundation
import Observation
import Strata
import StrataTestSupport
import Synchronization
import Testing

/// The work of the code below, wherever Strata calls it: every call that waits, once at each place.
private final class Visitor: Sendable {
  static let current = Mutex<Visitor?>(nil)
  private let calls: WaitingCalls
  private let results = Mutex<[String: [String: String]]>([:])

  init(_ calls: WaitingCalls) { self.calls = calls }

  /// The results of the calls, by the place.
  var found: [String: [String: String]] { results.withLock { $0 } }

  func visit(_ place: String) {
    let isFirst = results.withLock { results in
      if results[place] != nil { return false }
      results[place] = [:]
      return true
    }
    guard isFirst else { return }
    let made = WaitingCalls.Results()
    calls.makeAll(made)
    results.withLock { $0[place] = made.names }
  }
}

private func visit(_ place: String) { Visitor.current.withLock { $0 }?.visit(place) }

/// A value whose form is the program's own code.
private struct Wish: Codable, Hashable, Sendable {
  var text = ""

  init(_ text: String) { self.text = text }

  init(from decoder: any Decoder) throws {
    visit("init(from:)")
    text = try decoder.singleValueContainer().decode(String.self)
  }

  func encode(to encoder: any Encoder) throws {
    visit("encode(to:)")
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

@Entity private final class Lodger: ManagedObject {
  @Attribute(.unique) var name: String = ""
  var note: String = ""
  var wish: Wish = Wish("")

  override func awakeFromInsert() {
    super.awakeFromInsert()
    visit("awakeFromInsert")
  }
  override func awakeFromFetch() {
    super.awakeFromFetch()
    visit("awakeFromFetch")
  }
  override func awakeFromSnapshotEvents(_ events: SnapshotEvents) {
    super.awakeFromSnapshotEvents(events)
    visit("awakeFromSnapshotEvents")
  }
  override func willSave() {
    super.willSave()
    visit("willSave")
  }
  override func didSave() {
    super.didSave()
    visit("didSave")
  }
  override func validateForInsert() throws {
    try super.validateForInsert()
    visit("validateForInsert")
  }
  override func validateForUpdate() throws {
    try super.validateForUpdate()
    visit("validateForUpdate")
  }
  override func validateForDelete() throws {
    try super.validateForDelete()
    visit("validateForDelete")
  }
  override func prepareForDeletion() {
    super.prepareForDeletion()
    visit("prepareForDeletion")
  }
  override func willTurnIntoFault() {
    super.willTurnIntoFault()
    visit("willTurnIntoFault")
  }
  override func didTurnIntoFault() {
    super.didTurnIntoFault()
    visit("didTurnIntoFault")
  }
}

private final class Host: FetchedResultsControllerDelegate {
  func controllerDidChangeContent(_ controller: FetchedResultsController<Lodger>) {
    visit("controllerDidChangeContent")
  }
}

/// Rows that are made as they are asked for.
private struct Names: Sequence, IteratorProtocol {
  let place: String
  var rest: [String]

  mutating func next() -> String? {
    visit(place)
    return rest.popLast()
  }
}

/// Every closure, hook and conformance of a program that Strata calls: the list is from the public
/// declarations that take one.
@Suite(.serialized) struct `Code of a program, wherever Strata calls it` {
  private let folder: TemporaryDirectory
  private let container: PersistentContainer
  private let url: URL
  private let model: ManagedObjectModel

  init() throws {
    folder = try TemporaryDirectory()
    url = folder.file("store.strata")
    model = try ManagedObjectModel(
      Country.self, City.self, Language.self, Government.self, Route.self, Ferry.self, Album.self,
      Track.self, Genre.self, Hall.self, Play.self, Lodger.self)
    container = try PersistentContainer(at: url, model: model, durability: .none)
  }

  private static let places: Set = [
    "awakeFromInsert", "awakeFromFetch", "awakeFromSnapshotEvents", "willSave", "didSave",
    "validateForInsert", "validateForUpdate", "validateForDelete", "prepareForDeletion",
    "willTurnIntoFault", "didTurnIntoFault", "init(from:)", "encode(to:)",
    "controllerDidChangeContent", "sectionName", "rows", "rows of a task", "fill", "fill of a task",
    "progress of a batch", "progress of an update", "progress of a deletion",
    "progress of a backup", "progress of a compaction", "progress of a fetch",
    "progress of a migration", "stage of a migration", "merge policy", "update of an upsert",
    "savepoint", "perform", "performAndWait", "performBackgroundTask", "onChange", "notification",
    "history",
  ]

  @Test func `may make each call that waits, which is done or refused`() async throws {
    let visitor = Visitor(WaitingCalls(container: container, url: url, model: model))
    Visitor.current.withLock { $0 = visitor }
    defer { Visitor.current.withLock { $0 = nil } }
    try await container.coordinator.keepHistory()
    try await useContexts()
    try useBatches()
    try await useBatchesInTasks()
    try await useFiles()
    try await useLists()
    let found = visitor.found
    #expect(Self.places.subtracting(found.keys) == [])
    for (place, results) in found {
      for (call, result) in results {
        #expect(["done", "refused"].contains(result), "\(call) in \(place)")
      }
    }
    let context = ManagedObjectContext(parent: container.coordinator)
    let count = try context.count(City.all)
    context.city("last")
    try context.save()
    #expect(try context.count(City.all) == count + 1)
  }

  private func useContexts() async throws {
    let observer = NotificationCenter.default.addObserver(
      forName: ManagedObjectContext.didSaveNotification, object: nil, queue: nil
    ) { _ in visit("notification") }
    defer { NotificationCenter.default.removeObserver(observer) }
    // The root is for the calls: a hook may not push to the context that it is called by.
    let queue = ContextQueue(parent: container.coordinator)
    try await queue.perform { context in
      visit("perform")
      let lodger = Lodger(context: context)
      (lodger.name, lodger.wish) = ("a", Wish("bread"))
      try context.upsert(Lodger.self, matching: \.name, equals: "a") { _ in
        visit("update of an upsert")
      }
      try context.withSavepoint { visit("savepoint") }
      try context.save()
    }
    try queue.performAndWait { context in
      visit("performAndWait")
      context.tracksObservation = true
      context.refreshAllObjects()
      let lodger = try #require(try context.fetch(Lodger.all).first)
      _ = lodger.wish
      withObservationTracking {
        _ = lodger.wish
      } onChange: {
        visit("onChange")
      }
      lodger.wish = Wish("wine")
      try context.save()
      context.refresh(lodger, mergeChanges: true)
      lodger.wish = Wish("water")
      context.rollback()
      _ = lodger.wish
    }
    try await container.performBackgroundTask { context in
      visit("performBackgroundTask")
      try context.fetch(Lodger.all).first?.wish = Wish("salt")
      try context.save()
    }
    let (ours, theirs) = (
      ManagedObjectContext(parent: container.coordinator),
      ManagedObjectContext(parent: container.coordinator)
    )
    try ours.fetch(Lodger.all).first?.wish = Wish("ours")
    try theirs.fetch(Lodger.all).first?.wish = Wish("theirs")
    try theirs.save()
    ours.mergePolicy = .custom("visit") { _ in
      visit("merge policy")
      return .takeOurs
    }
    try ours.save()
    if let lodger = try ours.fetch(Lodger.all).first { ours.delete(lodger) }
    try ours.save()
    ours.reset()
  }

  private func useBatches() throws {
    let coordinator = container.coordinator
    try coordinator.execute(
      BatchInsertRequest(Lodger.self), rows: Names(place: "rows", rest: ["b", "c"]),
      progress: { _ in visit("progress of a batch") },
      fill: { lodger, name in
        visit("fill")
        lodger.name = name
      })
    try coordinator.execute(
      BatchUpdateRequest(Lodger.all).setting(\.note, to: "none"),
      progress: { _ in visit("progress of an update") })
    try coordinator.forEachHistoryTransaction(of: HistoryRequest()) { _ in visit("history") }
  }

  private func useBatchesInTasks() async throws {
    let coordinator = container.coordinator
    try await coordinator.execute(
      BatchInsertRequest(Lodger.self), rows: Names(place: "rows of a task", rest: ["d", "e"])
    ) { lodger, name in
      visit("fill of a task")
      lodger.name = name
    }
    _ = try await coordinator.fetchIDs(Lodger.all) { _ in visit("progress of a fetch") }
    try await coordinator.execute(
      BatchDeleteRequest(Lodger.where { $0.name == "e" }),
      progress: { _ in visit("progress of a deletion") })
  }

  private func useFiles() async throws {
    let coordinator = container.coordinator
    try await coordinator.backUp(to: folder.file("backup")) { _ in visit("progress of a backup") }
    _ = try await coordinator.compact { _ in visit("progress of a compaction") }
    let stage = try MigrationStage("stage", from: model, to: geographyModel(), removing: ["Lodger"])
    {
      migration in
      visit("stage of a migration")
      try migration.forEach("City") { _ in }
    }
    _ = try await PersistentContainer.open(
      at: folder.file("backup"), model: geographyModel(), migratingWith: MigrationPlan(stage)
    ) { _ in visit("progress of a migration") }
  }

  private func useLists() async throws {
    let context = ManagedObjectContext(parent: container.coordinator)
    let host = Host()
    let list = FetchedResultsController(Lodger.all.sorted(by: \.name), context: context) {
      visit("sectionName")
      return String($0.name.prefix(1))
    }
    list.delegate = host
    try list.performFetch()
    let lodger = Lodger(context: context)
    lodger.name = "f"
    context.processPendingChanges()
    withExtendedLifetime(host) {}
  }
}
