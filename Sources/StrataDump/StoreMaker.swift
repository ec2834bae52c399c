// SPDX-License-Identifier: Apache-2.0
package import Foundation
import Strata
package import StrataModel
import StrataRecord
import StrataStore

/// Makes a store from the items of a dump.
///
/// The store is made beside its path under a temporary name, is not synced, and is saved every few
/// objects. At the end it is copied to its path, synced. Until then there is no file at the path.
///
/// ## Lifetime
/// The other file goes with the work (`TemporaryName`).
///
/// ## Isolation
/// One thread.
package final class StoreMaker {
  /// The weight of the items that are saved together: `DumpItem.weight`.
  private static let batchWeight = 1_000
  /// The maximum of that weight while the members of an ordered relationship come.
  private static let listWeightMax = 131_072

  private let path: String
  private let temporary: TemporaryName
  /// Nil if a value that is not unique ends the work.
  private let onLoss: StoreReader.DamageHandler?
  /// The objects that came and were left out.
  private var lost: Set<DumpedID> = []
  private var work: Work?
  /// Nil unless the last item had members of an ordered relationship.
  private var list: List?
  package private(set) var objectCount = 0
  package private(set) var isComplete = false

  /// The store that is being made.
  private struct Work {
    let coordinator: PersistentStoreCoordinator
    let context: ManagedObjectContext
    let store: StoreIdentity
    let blueprint: StoreBlueprint
    /// Of the items since the last save.
    var weight = 0
  }

  /// An ordered relationship of one object, whose members come in several items.
  private struct List {
    let owner: DumpedID
    let property: String
    var memberCount = 0
    var savedCount = 0
  }

  /// - Parameter onLoss: called for an object that has the unique value of another one, with its
  ///   place. The value is left out then, or the whole object if that may not be nil. Nil to throw
  ///   the error.
  /// - Throws: `StoreError.fileExists`.
  package init(at url: URL, onLoss: StoreReader.DamageHandler? = nil) throws {
    path = url.path
    self.onLoss = onLoss
    if FileManager.default.fileExists(atPath: path) { throw StoreError.fileExists(path: path) }
    temporary = TemporaryName(beside: path)
  }

  /// The model of the header; nil before it.
  package var model: ManagedObjectModel? { work?.coordinator.model }

  /// - Throws: `DumpMistake` and the errors of Strata.
  package func add(_ item: DumpItem) throws {
    if isComplete { throw DumpMistake("there are lines after the end") }
    if case .header(let blueprint) = item {
      if work != nil { throw DumpMistake("there is a second header") }
      work = try begin(blueprint)
      return
    }
    guard let work else { throw DumpMistake("the first line is not the header of a dump") }
    if !item.continues(list?.owner, list?.property) { list = nil }
    switch item {
    case .header: return
    case .object(let id, let values): try insert(id, values, work)
    case .targets(let id, let targets):
      if lost.contains(id) { return }
      let object = try object(id, work)
      for (name, target) in targets where !lost.contains(target) {
        try object.setValue(.object(self.id(target, work)), for: name)
      }
    case .members(let id, let property, let members):
      if lost.contains(id) { return }
      let isOrdered = try add(
        members.filter { !lost.contains($0) }, to: object(id, work), property, work)
      if isOrdered, list == nil { list = List(owner: id, property: property) }
      list?.memberCount += members.count
    case .end(let count):
      guard count == objectCount + lost.count else {
        throw DumpMistake("\(objectCount) objects came, and the end says \(count)")
      }
      isComplete = true
    }
    try saveNowAndThen(after: item)
  }

  /// Copies the store to its path.
  ///
  /// - Throws: `StoreError`.
  package func finish() throws {
    guard let work else { return }
    try save(work)
    try work.coordinator.backUp(to: URL(fileURLWithPath: path), compacting: true)
    self.work = nil
  }

  // MARK: - Items

  private func begin(_ blueprint: StoreBlueprint) throws -> Work {
    let model = try ManagedObjectModel(blueprint.outline, class: ManagedObject.self)
    do {
      try blueprint.createStore(at: temporary.path, model: model)
    } catch StoreError.folderMissing {
      throw StoreError.folderMissing(path: path)
    }
    let coordinator = try PersistentStoreCoordinator(
      at: URL(fileURLWithPath: temporary.path), model: model, durability: .none)
    return Work(
      coordinator: coordinator, context: ManagedObjectContext(parent: coordinator),
      store: StoreIdentity(blueprint.uuid), blueprint: blueprint)
  }

  private func insert(
    _ id: DumpedID, _ values: [(name: String, value: PropertyValue)], _ work: Work
  ) throws {
    let known = try self.id(id, work)
    // The store raises its counter above all serials of its range.
    guard work.blueprint.mayHave(known.key) else {
      throw DumpMistake("the serial \(id.serial) is not in the range of the header's “nextSerial”")
    }
    guard work.context.registeredObject(for: known) == nil else {
      throw DumpMistake("\(id.text) is there twice")
    }
    let object = try EntityDescription.insertNewObject(
      forEntityName: id.entity, into: work.context, serial: id.serial)
    for (name, value) in values { try object.setValue(value, for: name) }
    objectCount += 1
  }

  /// - Returns: whether the relationship is ordered.
  private func add(
    _ members: [DumpedID], to object: ManagedObject, _ property: String, _ work: Work
  ) throws -> Bool {
    let targets = try members.map { try self.object($0, work) }
    let schema = work.coordinator.schema
    let owner = schema.entity(object.objectID.key.entity)
    let slot = owner?.description.slot(named: property)
    if let relationship = slot.flatMap({ owner?.relationships[$0] }) {
      for (member, target) in zip(members, targets)
      where !schema.canLead(relationship, to: target.objectID.key.entity) {
        throw DumpMistake("\(member.text) is of another entity than the members of “\(property)”")
      }
    }
    if let ordered = try? object.orderedMembers(for: property) {
      ordered.append(contentsOf: targets)
      return true
    }
    let set = try object.members(for: property)
    for target in targets { set.insert(target) }
    return false
  }

  private func object(_ id: DumpedID, _ work: Work) throws -> ManagedObject {
    do {
      return try work.context.existingObject(ManagedObject.self, with: self.id(id, work))
    } catch ContextError.objectNotFound {
      throw DumpMistake("there is no object \(id.text)")
    }
  }

  private func id(_ id: DumpedID, _ work: Work) throws -> ObjectID {
    guard let entity = work.coordinator.schema.entity(named: id.entity) else {
      throw DumpMistake("the model has no entity \(id.entity)")
    }
    return ObjectID(
      store: work.store, key: ObjectKey(entity: entity.number, serial: id.serial))
  }

  // MARK: - Saving

  private func saveNowAndThen(after item: DumpItem) throws {
    work?.weight += item.weight
    guard let work, work.weight >= weightToSave else { return }
    try save(work)
    self.work?.weight = 0
    if let memberCount = list?.memberCount { list?.savedCount = memberCount }
  }

  /// The first item of a list after a save reads all members that are saved. So a list is saved
  /// when it has doubled: O(members) are read, as long as the maximum is not reached.
  private var weightToSave: Int {
    max(Self.batchWeight, min(list?.savedCount ?? 0, Self.listWeightMax))
  }

  private func save(_ work: Work) throws {
    while true {
      do {
        try work.context.save()
        return work.context.reset()
      } catch StoreError.uniquenessViolations(let violations) {
        guard let onLoss else { throw StoreError.uniquenessViolations(violations) }
        try giveWay(violations, work, onLoss)
      }
    }
  }

  /// Takes the values that others have from the objects of violations. Those whose other object is
  /// to give way itself come later: they are found again if they remain.
  private func giveWay(
    _ violations: [StoreError.UniquenessViolation], _ work: Work,
    _ onLoss: StoreReader.DamageHandler
  ) throws {
    let giving = Set(violations.map(\.objectID))
    var certain = violations.filter { !giving.contains($0.existing) }
    // Each of two objects may have a value of the other.
    if certain.isEmpty { certain = Array(violations.prefix(1)) }
    for violation in certain {
      let id = DumpedID(entity: violation.entity, serial: violation.objectID.key.serial)
      if lost.contains(id) { continue }
      let object = try work.context.existingObject(ManagedObject.self, with: violation.objectID)
      let optional = violation.properties.first { (try? object.setValue(.null, for: $0)) != nil }
      if let optional {
        onLoss("\(id.text).\(optional)", DumpMistake("\(violation) The value is left out."))
      } else {
        work.context.delete(object)
        lost.insert(id)
        objectCount -= 1
        onLoss(id.text, DumpMistake("\(violation) The object is left out."))
      }
    }
  }
}

extension DumpItem {
  /// Whether the item has more members of a relationship.
  fileprivate func continues(_ owner: DumpedID?, _ property: String?) -> Bool {
    guard case .members(let id, let name, _) = self else { return false }
    return id == owner && name == property
  }

  /// How much memory the item takes until it is saved: 1 for each object, and for each 16 KiB.
  fileprivate var weight: Int {
    switch self {
    case .header, .end: 0
    case .object(_, let values):
      1 + values.reduce(0) { $0 + $1.value.variableByteCount } / 16_384
    case .targets(_, let targets): 1 + targets.count
    case .members(_, _, let members): 1 + members.count
    }
  }
}

extension PropertyValue {
  fileprivate var variableByteCount: Int {
    switch self {
    case .string(let text): text.utf8.count
    case .data(let data), .codable(let data): data.count
    default: 0
    }
  }
}
