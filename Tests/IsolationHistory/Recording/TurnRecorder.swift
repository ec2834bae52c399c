// SPDX-License-Identifier: Apache-2.0
import Strata
import StrataChanges
import StrataStore

/// The part of a store that a context shows: its objects, and the level of each of them.
struct Scope: Sendable {
  /// By the numbers of the cells, on the context's coordinator.
  let ids: [ObjectID]
  /// The levels of cells that are not read from the store's level.
  var levels: [Int: String] = [:]

  func register(_ field: Field) -> Register {
    field.register(at: levels[field.cell] ?? "store")
  }
}

/// Reads and writes cells in one turn of a context, and notes each read and write.
///
/// ## Lifetime
/// A turn.
///
/// ## Isolation
/// The context's.
struct TurnRecorder {
  /// Objects that a context holds across turns are in its `userInfo` with this key.
  static let heldKey = "held cells"

  private let context: ManagedObjectContext
  private let scope: Scope
  private(set) var operations: [Operation] = []

  init(_ context: ManagedObjectContext, _ scope: Scope) {
    self.context = context
    self.scope = scope
  }

  private func cell(_ number: Int) throws -> Cell {
    if let held = context.userInfo[Self.heldKey] as? [Cell] { return held[number] }
    return try context.existingObject(Cell.self, with: scope.ids[number])
  }

  @discardableResult
  mutating func read(_ field: Field, isGuarded: Bool = false) throws -> Version {
    let cell = try cell(field.cell)
    let (version, former) = cell[field]
    if isGuarded { try context.detectConflicts(for: cell) }
    operations.append(
      .read(
        scope.register(field), version, former: version == 0 ? nil : former,
        isGuarded: isGuarded))
    return version
  }

  /// Reads the field and writes over the version that was read.
  mutating func write(_ field: Field, _ version: Version) throws {
    let former = try read(field)
    try cell(field.cell)[field] = (version, former)
    operations.append(.write(scope.register(field), version, over: former))
  }

  /// Saves; a save that is refused is taken back.
  func save() throws -> UnitOfWork.Outcome {
    do {
      try context.save()
      return .committed
    } catch StoreError.conflicts {
      context.rollback()
      return .abandoned
    }
  }
}
