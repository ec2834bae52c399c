// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Foundation
import Strata
import StrataChanges
import StrataModel
import StrataRecord
import StrataTestSupport
import Synchronization

/// A random history of one context, whose lists are followed by all that they tell.
struct FetchedListHistory: Model {
  private struct Refusal: Error {}

  /// The values of a plant.
  private struct Look: Equatable {
    let name: String, bed: String?, height: Int, isRare: Bool
  }

  /// One list, the list according to its delegate, and the expected result of its updates.
  private final class Followed {
    let oracle: FetchedListOracle
    var list: FetchedResultsController<Plant>?
    let replay: FetchedListReplay
    let updates: AsyncStream<FetchedResultsUpdate>
    let start: FetchedResultsSnapshot
    var last: FetchedResultsSnapshot

    init(_ oracle: FetchedListOracle, in context: ManagedObjectContext) throws {
      self.oracle = oracle
      let list = oracle.make(oracle.request, context)
      self.list = list
      replay = FetchedListReplay(list)
      start = list.snapshot
      last = start
      updates = list.updates()
      try? list.performFetch()
      replay.reload(list)
      last = list.snapshot
    }
  }

  /// The saves of the ancestor that have dropped an update of a child, because the store had lost
  /// the object. To the child, that is a change by others.
  private final class Losses {
    var saves: [ManagedObjectContext.Message] = []
    var mergedCount = 0
  }

  var random: ModelRandom
  private let planting: Planting
  private let ancestor: ManagedObjectContext?
  private let context: ManagedObjectContext
  private let child: ManagedObjectContext
  private let other: ManagedObjectContext
  private let saves: MessageLog
  private let ancestorsSaves: MessageLog
  private let losses = Losses()
  private let audience: Audience
  private let schema: Schema
  private var mergedCount = 0
  private var lists: [Followed] = []
  /// The values of each plant at the last check, if the context was up to date with others.
  private var looks: [ObjectID: Look] = [:]
  private var held: [ManagedObject] = []

  init(_ setup: ModelRandom, fault: PlantedFault? = nil) throws {
    random = setup
    let container = try garden()
    planting = Planting(fault, in: container)
    let isTopmost = random.chance(2)
    let root = ManagedObjectContext.withExplicitTurns(below: container.coordinator)
    ancestor = isTopmost ? nil : root
    context = isTopmost ? root : ManagedObjectContext.withExplicitTurns(below: root.layer)
    child =
      random.chance(2)
      ? ManagedObjectContext(parent: context) : ManagedObjectContext(parent: context.layer)
    other =
      isTopmost
      ? ManagedObjectContext(parent: container.coordinator)
      : ManagedObjectContext(parent: root.layer)
    saves = MessageLog(other.layer)
    ancestorsSaves = MessageLog(root.layer)
    audience = Audience(context.layer, of: ["Plant", "Shrub"], knowing: [])
    schema = container.coordinator.schema
    for context in [root, context, child, other] {
      context.mergePolicy = .mergeByPropertyObjectTrump
      if random.chance(2) { context.cacheByteBudget = 0 }
    }
    context.automaticallyMergesChangesFromParent = random.chance(2)
    if random.chance(2) { context.undoManager = ManagedObjectContext.UndoManager() }
    random.note(
      "topmost \(isTopmost), merging "
        + "\(context.automaticallyMergesChangesFromParent), undo \(context.undoManager != nil), "
        + "budget \(context.cacheByteBudget)")
    for _ in 0..<12 { mutate(context) }
    try save()
    let all = FetchedListOracle.all.shuffled(using: &random)
    for oracle in all.prefix(4) { lists.append(try Followed(oracle, in: context)) }
    audience.begin(knowing: try context.fetchIDs(Plant.all))
  }

  // MARK: - Steps

  static var operations: [ModelOperation<FetchedListHistory>] {
    [
      ModelOperation("change", weight: 40) { history in
        for _ in 0...history.random.below(4) { history.mutate(history.context) }
      },
      ModelOperation("a child saves", weight: 12) { try $0.saveChild() },
      ModelOperation("another saves", weight: 16) { try $0.saveOther() },
      ModelOperation("save", weight: 6) { try $0.save() },
      ModelOperation("others save beside a view", weight: 8) { try $0.saveBesideView() },
      ModelOperation("another saves beside a save", weight: 6) { try $0.saveBesideSave() },
      ModelOperation("rollback", weight: 4) { $0.context.rollback() },
      ModelOperation("undo", weight: 6) { $0.context.undo() },
      ModelOperation("redo", weight: 3) { $0.context.redo() },
      ModelOperation("refresh", weight: 4) { $0.refresh() },
      ModelOperation("refresh all", weight: 2) { history in
        history.context.refreshAllObjects()
        history.noteAllMerged()
      },
      ModelOperation("savepoint that throws", weight: 3) { $0.edit() },
      ModelOperation("reset") { try $0.reset() },
      ModelOperation("hold", weight: 3) { $0.hold() },
    ]
  }

  mutating func check() throws {
    if random.chance(3) { try merge() }
    if random.chance(5) { return }
    context.processPendingChanges()
    random.note("compare")
    try compare()
  }

  /// The reported updates add up to the final list.
  mutating func finish() async throws {
    let ends = lists.map { $0.list?.snapshot ?? $0.last }
    for followed in lists { followed.list = nil }
    for (followed, end) in zip(lists, ends) {
      var (list, number) = (followed.start, 0)
      for await update in followed.updates {
        number += 1
        guard update.number == number, let next = list.applying(update.difference),
          next == update.snapshot
        else {
          throw ModelDifference("update \(update.number) of \(followed.oracle.name) does not fit")
        }
        list = next
      }
      if list != end {
        throw ModelDifference("the updates of the list \(followed.oracle.name) give another")
      }
    }
  }

  private mutating func save() throws {
    try context.save()
    if random.chance(2) { try saveAncestor() }
  }

  private func saveAncestor() throws {
    guard let ancestor else { return }
    let updated = ancestor.updatedObjects.map(\.objectID)
    try ancestor.save()
    let isLost = updated.contains { id in
      (try? ancestor.existingObject(ManagedObject.self, with: id)) == nil
    }
    if isLost, let save = ancestorsSaves.messages(.didSave).last { losses.saves.append(save) }
  }

  private mutating func saveChild() throws {
    if random.chance(3) { child.refreshAllObjects() }
    for _ in 0...random.below(3) { mutate(child) }
    try child.save()
  }

  private mutating func saveOther() throws {
    if random.chance(2) { other.refreshAllObjects() }
    for _ in 0...random.below(3) { mutate(other) }
    try other.save()
    if random.chance(2) { try merge() }
  }

  /// Others save between two steps of a view.
  private mutating func saveBesideView() throws {
    #if DEBUG
      for _ in 0...random.below(2) { mutate(other) }
      // So that a view is taken, and another one where it is to be seen early.
      try other.save()
      let points: [PausePoint] = [.revisionsCompared, .viewTaken, .snapshotTaken]
      let point = random.pick(points) ?? .viewTaken
      var (copy, failure) = (self, nil as (any Error)?)
      act(at: point) {
        do {
          try copy.saveElsewhere()
        } catch {
          failure = error
        }
      } during: {
        context.processPendingChanges()
      }
      random = copy.random
      if let failure { throw failure }
    #endif
  }

  private mutating func saveElsewhere() throws {
    random.note("beside")
    for _ in 0...random.below(3) { mutate(other) }
    try other.save()
    if random.chance(2) { try saveAncestor() }
    if random.chance(2) {
      mutate(other)
      try other.save()
    }
  }

  /// Another context saves while the store is about to commit a save of the ancestor.
  private mutating func saveBesideSave() throws {
    #if DEBUG
      if ancestor == nil { return }
      var (copy, failure) = (self, nil as (any Error)?)
      try act(at: .tagged) {
        do {
          copy.random.note("beside")
          for _ in 0...copy.random.below(3) { copy.mutate(copy.other) }
          try copy.other.save()
        } catch {
          failure = error
        }
      } during: {
        try saveAncestor()
      }
      random = copy.random
      if let failure { throw failure }
    #endif
  }

  #if DEBUG
    /// Does something once, when `body` reaches a pause point, if it does. All happens one after
    /// the other.
    private func act(
      at point: PausePoint, _ act: () -> Void, during body: () throws -> Void
    ) rethrows {
      try withoutActuallyEscaping(act) { act in
        // Safety: the thread that waits for the pause point, or whose view reaches it, is alone.
        nonisolated(unsafe) let act = act
        // Taken by the thread that acts, so that another one that comes later has nothing of it.
        let waiting = Mutex<(@Sendable () -> Void)?>({ act() })
        PausePoint.observe(schema) { reached in
          guard reached == point else { return }
          waiting.withLock { $0.take() }?()
        }
        defer { waiting.withLock { $0 = nil } }
        defer { PausePoint.observe(schema, nil) }
        try body()
      }
    }
  #endif

  /// Merges the saves of `other`.
  private mutating func merge() throws {
    let messages = saves.messages(.didSave)
    for message in messages[mergedCount...] {
      random.note("merge")
      try context.mergeChanges(fromContextDidSave: message)
    }
    for save in losses.saves[losses.mergedCount...] {
      random.note("merge a loss")
      try context.mergeChanges(fromContextDidSave: save)
    }
    noteAllMerged()
  }

  private mutating func noteAllMerged() {
    mergedCount = saves.messages(.didSave).count
    losses.mergedCount = losses.saves.count
  }

  private mutating func refresh() {
    guard let object = pick(Plant.self, in: context) else { return }
    let mergesChanges = random.chance(2)
    random.note("refresh \(object.objectID.key.serial), merging \(mergesChanges)")
    context.refresh(object, mergeChanges: mergesChanges)
  }

  private mutating func edit() {
    try? context.withSavepoint {
      mutate(context)
      mutate(context)
      if random.chance(2), let followed = lists.first {
        random.note("fetched")
        try? followed.list?.performFetch()
        reload(followed)
      }
      throw Refusal()
    }
  }

  private mutating func reset() throws {
    held = []
    context.reset()
    noteAllMerged()
    for followed in lists {
      guard let list = followed.list else { continue }
      if let complaint = followed.replay.complaint { throw ModelDifference(complaint) }
      let isEmpty =
        list.fetchedObjects.isEmpty && followed.replay.sections.allSatisfy(\.ids.isEmpty)
      if !isEmpty { throw ModelDifference("after a reset the list is not empty") }
      try? list.performFetch()
      reload(followed)
    }
    looks = [:]
    audience.begin(knowing: try context.fetchIDs(Plant.all))
  }

  private func reload(_ followed: Followed) {
    guard let list = followed.list else { return }
    followed.replay.reload(list)
    followed.last = list.snapshot
  }

  private mutating func hold() {
    if held.count > 3 { held = [] }
    if let plant = pick(Plant.self, in: context) { held.append(plant) }
    if let gardener = pick(Gardener.self, in: context) { held.append(gardener) }
  }

  // MARK: - Mutations

  private mutating func pick<T: Entity>(_ type: T.Type, in context: ManagedObjectContext) -> T? {
    let ids = (try? context.fetchIDs(T.all)) ?? []
    return random.pick(ids).flatMap { try? context.object(type, with: $0) }
  }

  private mutating func text() -> String {
    random.pick(["a", "b", "ba", "c", "cd", "d", "e", "f"]) ?? ""
  }

  private mutating func note(_ what: String, _ object: ManagedObject?) {
    guard let object else { return }
    let id = object.objectID.key
    random.note("  \(what) \(id.entity.rawValue)/\(id.serial)")
  }

  private mutating func note(_ what: String, _ plant: Plant) {
    note(
      "\(what) \(plant.name) in \(plant.bed ?? "nil"), \(plant.height), \(plant.isRare), of "
        + "\(plant.gardener.map { "\($0.objectID.key.serial)" } ?? "nil"):", plant as ManagedObject)
  }

  private mutating func mutate(_ context: ManagedObjectContext) {
    switch random.below(20) {
    case 0..<4: insertPlant(context)
    case 4..<6: delete(pick(Plant.self, in: context), in: context)
    case 6..<12: if let plant = pick(Plant.self, in: context) { change(plant, in: context) }
    case 12..<16: changeGardener(context)
    case 16:
      let gardener = pick(Gardener.self, in: context)
      gardener?.firm = pick(Firm.self, in: context)
      note("gardener's firm", gardener)
    case 17:
      let firm = random.chance(2) ? pick(Firm.self, in: context) : context.firm("h")
      firm?.name = random.chance(2) ? "g" : text()
      note("firm \(firm?.name ?? "")", firm)
    case 18: tie(context)
    default:
      let tool = pick(Tool.self, in: context)
      tool?.weight = random.below(10)
      note("tool", tool)
    }
  }

  private mutating func delete(_ object: ManagedObject?, in context: ManagedObjectContext) {
    guard let object else { return }
    note("delete", object)
    context.delete(object)
  }

  private mutating func changeGardener(_ context: ManagedObjectContext) {
    if random.chance(4) {
      let gardener = context.gardener(
        text(), age: random.below(11), of: pick(Firm.self, in: context))
      note("new gardener \(gardener.name)", gardener)
      pick(Plant.self, in: context)?.gardener = gardener
    } else if let gardener = pick(Gardener.self, in: context) {
      if random.chance(6) { return delete(gardener, in: context) }
      if random.chance(2) { gardener.name = text() }
      if random.chance(2) { gardener.age = random.below(11) }
      note("gardener \(gardener.name), \(gardener.age):", gardener)
    }
  }

  private mutating func insertPlant(_ context: ManagedObjectContext) {
    let plant = random.chance(4) ? Shrub(context: context) : Plant(context: context)
    plant.name = text()
    plant.bed = random.chance(3) ? nil : text()
    plant.height = random.below(10)
    plant.isRare = random.chance(2)
    plant.gardener = pick(Gardener.self, in: context)
    note("new", plant)
  }

  private mutating func change(_ plant: Plant, in context: ManagedObjectContext) {
    if random.chance(3) { plant.name = text() }
    if random.chance(3) { plant.bed = random.chance(3) ? nil : text() }
    if random.chance(3) { plant.height = random.below(10) }
    if random.chance(3) { plant.isRare.toggle() }
    if random.chance(4) { plant.gardener = pick(Gardener.self, in: context) }
    note("now", plant)
  }

  private mutating func tie(_ context: ManagedObjectContext) {
    guard let plant = pick(Plant.self, in: context) else { return }
    note("tool of", plant as ManagedObject)
    if random.chance(2) {
      let tool = Tool(context: context)
      tool.weight = random.below(10)
      plant.tools.insert(tool)
    } else if let tool = pick(Tool.self, in: context) {
      if plant.tools.contains(tool) { plant.tools.remove(tool) } else { plant.tools.insert(tool) }
    }
  }

  // MARK: - Comparing

  private static func text(_ sections: [FetchedListReplay.Section]) -> String {
    sections.map { "[\($0.name ?? "nil"): \($0.ids.map(\.key.serial))]" }.joined(separator: " ")
  }

  /// Whether the context has taken over all that others have saved.
  private var isUpToDate: Bool {
    context.automaticallyMergesChangesFromParent
      || mergedCount == saves.messages(.didSave).count
        && losses.mergedCount == losses.saves.count
  }

  private mutating func compare() throws {
    var changed: Set<ObjectID> = []
    if isUpToDate {
      let former = looks
      looks = [:]
      for plant in try context.fetch(Plant.all) {
        let look = Look(
          name: plant.name, bed: plant.bed, height: plant.height, isRare: plant.isRare)
        looks[plant.objectID] = look
        if let before = former[plant.objectID], before != look { changed.insert(plant.objectID) }
      }
    }
    for followed in lists { try compare(followed, changed) }
    if !isUpToDate { looks = [:] }
    if context.automaticallyMergesChangesFromParent {
      let shown = Set(try context.fetchIDs(Plant.all))
      if audience.ids != shown {
        let (extra, missing) = (audience.ids.subtracting(shown), shown.subtracting(audience.ids))
        throw ModelDifference(
          "messages leave \(extra.map(\.key.serial)), and lack \(missing.map(\.key.serial))")
      }
    }
  }

  private mutating func compare(_ followed: Followed, _ changed: Set<ObjectID>) throws {
    guard let list = followed.list else { return }
    let replay = followed.replay
    let name = followed.oracle.name
    if let complaint = replay.complaint { throw ModelDifference("\(name): \(complaint)") }
    let shown = FetchedListReplay.sections(of: list)
    if replay.sections != shown {
      throw ModelDifference(
        "\(name): told \(Self.text(replay.sections)), shown \(Self.text(shown))")
    }
    let snapshot = list.snapshot
    let reached = followed.last.applying(snapshot.difference(from: followed.last))
    if reached != snapshot {
      throw ModelDifference("\(name): the difference of the snapshots does not give the new one")
    }
    let both = Set(followed.last.objectIDs).intersection(snapshot.objectIDs)
    followed.last = snapshot
    for (section, contents) in shown.enumerated() {
      for (item, id) in contents.ids.enumerated()
      where list.indexPath(for: id) != FetchedIndexPath(item: item, section: section) {
        throw ModelDifference("\(name): \(id) is not found where it is")
      }
    }
    defer { replay.touched = [] }
    guard isUpToDate else { return }
    guard let expected = try followed.oracle.sections(in: context) else {
      if list.error == nil, list.isFetched {
        throw ModelDifference("\(name): sections that are not in one piece are no error")
      }
      return
    }
    if !list.isFetched {
      // It could not be fetched before: its sections were not in one piece.
      try list.performFetch()
      reload(followed)
      return
    }
    if shown != expected {
      throw ModelDifference("\(name): shown \(Self.text(shown)), expected \(Self.text(expected))")
    }
    if let error = list.error { throw ModelDifference("\(name): \(error)") }
    let untold = changed.intersection(both).subtracting(replay.touched)
    if !untold.isEmpty {
      throw ModelDifference("\(name): untold changes of \(untold.map(\.key.serial))")
    }
  }
}
