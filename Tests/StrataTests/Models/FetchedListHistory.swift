// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataChanges
import StrataTestSupport

/// A random history of one context, whose lists are followed by all that they tell.
final class FetchedListHistory {
  private struct Difference: Error { let text: String }
  private struct Refusal: Error {}

  /// What a plant shows.
  private struct Look: Equatable {
    let name: String, bed: String?, height: Int, isRare: Bool
  }

  /// One list, what its delegate made of it, and what its updates are to come to.
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

  private let container: PersistentContainer
  private let context: ManagedObjectContext
  private let child: ManagedObjectContext
  private let other: ManagedObjectContext
  private let saves: MessageLog
  private var mergedCount = 0
  private var lists: [Followed] = []
  /// What each plant showed when it was last looked at, if the context was up to date with others.
  private var looks: [ObjectID: Look] = [:]
  private var held: [ManagedObject] = []
  private var random: SeededGenerator
  private var log: [String] = []

  private init(seed: UInt64, fault: PlantedFault?) throws {
    random = SeededGenerator(seed: seed)
    container = try garden()
    #if DEBUG
      PlantedFault.plant(fault, in: container.coordinator.schema)
    #endif
    let isTopmost = Bool.random(using: &random)
    let root = ManagedObjectContext.withExplicitTurns(below: container.coordinator)
    context = isTopmost ? root : ManagedObjectContext.withExplicitTurns(below: root.layer)
    child =
      Bool.random(using: &random)
      ? ManagedObjectContext(parent: context) : ManagedObjectContext(parent: context.layer)
    other =
      isTopmost
      ? ManagedObjectContext(parent: container.coordinator)
      : ManagedObjectContext(parent: root.layer)
    saves = MessageLog(other.layer)
    for context in [root, context, child, other] {
      context.mergePolicy = .mergeByPropertyObjectTrump
      if Bool.random(using: &random) { context.cacheByteBudget = 0 }
    }
    context.automaticallyMergesChangesFromParent = Bool.random(using: &random)
    if Bool.random(using: &random) {
      context.undoManager = ManagedObjectContext.UndoManager()
    }
    ancestor = isTopmost ? nil : root
    log.append(
      "topmost \(isTopmost), merging "
        + "\(context.automaticallyMergesChangesFromParent), undo \(context.undoManager != nil), "
        + "budget \(context.cacheByteBudget)")
    for _ in 0..<12 { mutate(context) }
    try save()
    let all = FetchedListOracle.all.shuffled(using: &random)
    lists = try all.prefix(4).map { try Followed($0, in: context) }
  }

  private let ancestor: ManagedObjectContext?

  deinit {
    #if DEBUG
      PlantedFault.plant(nil, in: container.coordinator.schema)
    #endif
  }

  /// - Returns: what differs and how it came about; nil if nothing does.
  static func difference(seed: UInt64, fault: PlantedFault? = nil) async throws -> String? {
    let (difference, streams) = try run(seed: seed, fault: fault)
    if let difference { return difference }
    for (oracle, start, end, updates) in streams {
      var list = start
      var number = 0
      for await update in updates {
        number += 1
        guard update.number == number, let next = list.applying(update.difference),
          next == update.snapshot
        else { return "update \(update.number) of the list \(oracle) does not fit" }
        list = next
      }
      if list != end { return "the updates of the list \(oracle) give another" }
    }
    return nil
  }

  private typealias Told = (
    String, FetchedResultsSnapshot, FetchedResultsSnapshot, AsyncStream<FetchedResultsUpdate>
  )

  private static func run(
    seed: UInt64, fault: PlantedFault?
  ) throws -> (String?, [Told]) {
    let history = try FetchedListHistory(seed: seed, fault: fault)
    do {
      for _ in 0..<14 { try history.step() }
      let streams = history.lists.map { followed in
        let end = followed.list?.snapshot ?? followed.last
        return (followed.oracle.name, followed.start, end, followed.updates)
      }
      for followed in history.lists { followed.list = nil }
      return (nil, streams)
    } catch let difference as Difference {
      return ((history.log + [difference.text]).joined(separator: "\n"), [])
    }
  }

  // MARK: - Steps

  private func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

  private func step() throws {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<40: for _ in 0...Int.random(in: 0...3, using: &random) { mutate(context) }
    case 40..<52: try saveChild()
    case 52..<68: try saveOther()
    case 68..<74: try save()
    case 74..<78:
      log.append("rollback")
      context.rollback()
    case 78..<84 where context.undoManager != nil:
      log.append("undo")
      context.undo()
    case 84..<87 where context.undoManager != nil:
      log.append("redo")
      context.redo()
    case 87..<91: refresh()
    case 91..<93:
      log.append("refresh all")
      context.refreshAllObjects()
      mergedCount = saves.messages(.didSave).count
    case 93..<96: try edit()
    case 96..<97: try reset()
    default: hold()
    }
    if chance(3) { try merge() }
    if chance(5) { return }
    context.processPendingChanges()
    log.append("compare")
    try compare()
  }

  private func save() throws {
    log.append("save")
    try context.save()
    if chance(2) { try ancestor?.save() }
  }

  private func saveChild() throws {
    log.append("a child")
    if chance(3) { child.refreshAllObjects() }
    for _ in 0...Int.random(in: 0...2, using: &random) { mutate(child) }
    try child.save()
  }

  private func saveOther() throws {
    log.append("another")
    if chance(2) { other.refreshAllObjects() }
    for _ in 0...Int.random(in: 0...2, using: &random) { mutate(other) }
    try other.save()
    if chance(2) { try merge() }
  }

  /// Takes over what `other` has saved.
  private func merge() throws {
    let messages = saves.messages(.didSave)
    for message in messages[mergedCount...] {
      log.append("merge")
      try context.mergeChanges(fromContextDidSave: message)
    }
    mergedCount = messages.count
  }

  private func refresh() {
    guard let object = pick(Plant.self, in: context) else { return }
    let mergesChanges = Bool.random(using: &random)
    log.append("refresh \(object.objectID.key.serial), merging \(mergesChanges)")
    context.refresh(object, mergeChanges: mergesChanges)
  }

  private func edit() throws {
    log.append("edit that throws")
    try? context.edit {
      mutate(context)
      mutate(context)
      if chance(2), let followed = lists.first {
        log.append("fetched")
        try? followed.list?.performFetch()
        reload(followed)
      }
      throw Refusal()
    }
  }

  private func reset() throws {
    log.append("reset")
    held = []
    context.reset()
    mergedCount = saves.messages(.didSave).count
    for followed in lists {
      guard let list = followed.list else { continue }
      if let complaint = followed.replay.complaint { throw Difference(text: complaint) }
      let isEmpty =
        list.fetchedObjects.isEmpty && followed.replay.sections.allSatisfy(\.ids.isEmpty)
      if !isEmpty { throw Difference(text: "after a reset the list is not empty") }
      try? list.performFetch()
      reload(followed)
    }
    looks = [:]
  }

  private func reload(_ followed: Followed) {
    guard let list = followed.list else { return }
    followed.replay.reload(list)
    followed.last = list.snapshot
  }

  private func hold() {
    log.append("hold")
    if held.count > 3 { held = [] }
    held += [pick(Plant.self, in: context), pick(Gardener.self, in: context)].compactMap(\.self)
  }

  // MARK: - Mutations

  private func pick<T: Entity>(_ type: T.Type, in context: ManagedObjectContext) -> T? {
    let ids = (try? context.fetchIDs(T.all)) ?? []
    return ids.randomElement(using: &random).flatMap { try? context.object(type, with: $0) }
  }

  private func text() -> String {
    let texts = ["a", "b", "ba", "c", "cd", "d", "e", "f"]
    return texts.randomElement(using: &random) ?? ""
  }

  private func note(_ what: String, _ object: ManagedObject?) {
    guard let object else { return }
    let id = object.objectID.key
    log.append("  \(what) \(id.entity.rawValue)/\(id.serial)")
  }

  private func note(_ what: String, _ plant: Plant) {
    note(
      "\(what) \(plant.name) in \(plant.bed ?? "nil"), \(plant.height), \(plant.isRare), of "
        + "\(plant.gardener.map { "\($0.objectID.key.serial)" } ?? "nil"):", plant as ManagedObject)
  }

  private func mutate(_ context: ManagedObjectContext) {
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<4: insertPlant(context)
    case 4..<6: delete(pick(Plant.self, in: context), in: context)
    case 6..<12: if let plant = pick(Plant.self, in: context) { change(plant, in: context) }
    case 12..<16: changeGardener(context)
    case 16:
      let gardener = pick(Gardener.self, in: context)
      gardener?.firm = pick(Firm.self, in: context)
      note("gardener's firm", gardener)
    case 17:
      let firm = chance(2) ? pick(Firm.self, in: context) : context.firm("h")
      firm?.name = chance(2) ? "g" : text()
      note("firm \(firm?.name ?? "")", firm)
    case 18: tie(context)
    default:
      let tool = pick(Tool.self, in: context)
      tool?.weight = Int.random(in: 0...9, using: &random)
      note("tool", tool)
    }
  }

  private func delete(_ object: ManagedObject?, in context: ManagedObjectContext) {
    guard let object else { return }
    note("delete", object)
    context.delete(object)
  }

  private func changeGardener(_ context: ManagedObjectContext) {
    if chance(4) {
      let gardener = context.gardener(
        text(), age: Int.random(in: 0...10, using: &random), of: pick(Firm.self, in: context))
      note("new gardener \(gardener.name)", gardener)
      pick(Plant.self, in: context)?.gardener = gardener
    } else if let gardener = pick(Gardener.self, in: context) {
      if chance(6) { return delete(gardener, in: context) }
      if chance(2) { gardener.name = text() }
      if chance(2) { gardener.age = Int.random(in: 0...10, using: &random) }
      note("gardener \(gardener.name), \(gardener.age):", gardener)
    }
  }

  private func insertPlant(_ context: ManagedObjectContext) {
    let plant = chance(4) ? Shrub(in: context) : Plant(in: context)
    plant.name = text()
    plant.bed = chance(3) ? nil : text()
    plant.height = Int.random(in: 0...9, using: &random)
    plant.isRare = Bool.random(using: &random)
    plant.gardener = pick(Gardener.self, in: context)
    note("new", plant)
  }

  private func change(_ plant: Plant, in context: ManagedObjectContext) {
    if chance(3) { plant.name = text() }
    if chance(3) { plant.bed = chance(3) ? nil : text() }
    if chance(3) { plant.height = Int.random(in: 0...9, using: &random) }
    if chance(3) { plant.isRare.toggle() }
    if chance(4) { plant.gardener = pick(Gardener.self, in: context) }
    note("now", plant)
  }

  private func tie(_ context: ManagedObjectContext) {
    guard let plant = pick(Plant.self, in: context) else { return }
    note("tool of", plant as ManagedObject)
    if chance(2) {
      let tool = Tool(in: context)
      tool.weight = Int.random(in: 0...9, using: &random)
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
    mergedCount == saves.messages(.didSave).count || context.automaticallyMergesChangesFromParent
  }

  private func compare() throws {
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
  }

  private func compare(_ followed: Followed, _ changed: Set<ObjectID>) throws {
    guard let list = followed.list else { return }
    let replay = followed.replay
    let name = followed.oracle.name
    if let complaint = replay.complaint { throw Difference(text: "\(name): \(complaint)") }
    let shown = FetchedListReplay.sections(of: list)
    if replay.sections != shown {
      throw Difference(
        text: "\(name): told \(Self.text(replay.sections)), shown \(Self.text(shown))")
    }
    let snapshot = list.snapshot
    let reached = followed.last.applying(snapshot.difference(from: followed.last))
    if reached != snapshot {
      throw Difference(text: "\(name): the difference of the snapshots does not give the new one")
    }
    let both = Set(followed.last.objectIDs).intersection(snapshot.objectIDs)
    followed.last = snapshot
    for (section, contents) in shown.enumerated() {
      for (item, id) in contents.ids.enumerated()
      where list.indexPath(for: id) != FetchedIndexPath(item: item, section: section) {
        throw Difference(text: "\(name): \(id) is not found where it is")
      }
    }
    defer { replay.touched = [] }
    guard isUpToDate else { return }
    guard let expected = try followed.oracle.sections(in: context) else {
      if list.error == nil, list.isFetched {
        throw Difference(text: "\(name): sections that are not in one piece are no error")
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
      throw Difference(text: "\(name): shown \(Self.text(shown)), expected \(Self.text(expected))")
    }
    if let error = list.error { throw Difference(text: "\(name): \(error)") }
    let untold = changed.intersection(both).subtracting(replay.touched)
    if !untold.isEmpty {
      throw Difference(text: "\(name): untold changes of \(untold.map(\.key.serial))")
    }
  }
}
