// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataLMDB
import StrataModel
import StrataRecord

/// Takes a store from the model that it has to the model of the program that opens it, in one
/// transaction: another process sees the former state or the present one.
///
/// No record is rewritten. The catalog keeps the layouts of the records that are there
/// (`LayoutVersions`), and readers read them as present ones (`RecordUpgrade`). The time goes into
/// making indexes, which reads each object once for all of them.
///
/// A store of a former release whose texts are folded in another way is taken to the present
/// folding on the way, also if its model stays: the indexes of words are made again, and the
/// derived texts are calculated again (`CanonicalTexts`), the one case in which records are
/// rewritten.
///
/// ## Isolation
/// Any thread; the transaction runs on the writer thread.
struct StoreEvolution {
  /// The catalog of the store as it is.
  private let stored: Catalog
  private let former: StoredModel
  private let evolution: ModelEvolution
  /// The catalog of the store afterwards.
  let catalog: Catalog
  let schema: Schema
  /// The numbers of the attributes that show their default in objects that have no value, and of
  /// the properties that continue another one in some objects.
  private let changedValues: Set<PropertyNumber>
  /// The derived texts to calculate again; nil if they are folded as now.
  private let texts: CanonicalTexts?
  /// The present numbers of the former properties, by entity. New entities are missing.
  private let moves: [EntityNumber: PropertyMoves]

  /// - Parameters:
  ///   - removing: the data that may be deleted.
  ///   - converting: the properties whose values the code of a stage sets.
  ///   - stages: the models of the stages that the store has been through afterwards.
  /// - Throws: `modelMismatch`, with everything that cannot be inferred; `tooManyModels`;
  ///   `damaged`.
  init(
    from stored: Catalog, to model: ManagedObjectModel, removing: DataRemoval,
    converting: Set<ModelEvolution.Property> = [], after stages: [ManagedObjectModel] = []
  ) throws(StoreError) {
    let evolution = ModelEvolution(
      from: stored.outline, try stored.formerNames(), to: model, removing: removing,
      converting: converting)
    guard evolution.mismatches.isEmpty else {
      throw .modelMismatch(evolution.mismatches)
    }
    guard stored.version < RecordLayout.versionMax else { throw .tooManyModels }
    let version = stored.version + 1
    let numbers = stored.numbers.evolved(by: evolution, to: model)
    guard numbers.areDistinct else { throw .tooManyModels }
    self.stored = stored
    self.evolution = evolution
    former = StoredModel(stored)
    var layouts = stored.layouts
    var changedValues: Set<PropertyNumber> = []
    var moves: [EntityNumber: PropertyMoves] = [:]
    // For its slots, whatever the versions of the layouts are.
    let draft = Schema(
      model: model, numbers: numbers, store: StoreIdentity(stored.uuid), version: version)
    for entity in evolution.entities {
      guard let formerName = entity.former?.name,
        let number = numbers.number(ofEntity: entity.description.name),
        let present = draft.entity(number)
      else { continue }
      let ofEntity = PropertyMoves(of: entity, from: former, to: present)
      moves[number] = ofEntity
      if entity.description.isAbstract { continue }
      guard let slots = former.slots(of: formerName) else {
        throw .damaged(
          tree: Trees.catalogName, key: "numbers", reason: "a name of the store's model has none")
      }
      let step = LayoutStep(
        from: slots, optional: former.optionalAttributes(of: formerName), ofEntity, to: present,
        version: version, layouts)
      changedValues.formUnion(step.filled)
      changedValues.formUnion(ofEntity.changedNumbers)
      guard let upgrade = step.upgrade else { continue }
      do throws(RecordError) {
        try layouts.replaceLayout(of: number, by: upgrade)
      } catch {
        throw .damaged(tree: Trees.catalogName, key: "layouts", reason: error.description)
      }
    }
    schema = Schema(
      model: model, numbers: numbers, store: StoreIdentity(stored.uuid), version: version,
      layouts: layouts)
    // A model without classes has no derivations: a later one calculates the texts.
    let makesTexts = !stored.hasPresentTexts && model.hasCanonicalTexts
    texts = makesTexts ? CanonicalTexts(of: schema) : nil
    changedValues.formUnion(texts?.numbers ?? [])
    (self.changedValues, self.moves) = (changedValues, moves)
    var formerNames = evolution.formerNames
    for stage in stages { formerNames.note(stage, in: model) }
    catalog = Catalog(
      uuid: stored.uuid, outline: ModelOutline(model), numbers: numbers, version: version,
      layouts: layouts, hasPresentTexts: stored.hasPresentTexts || makesTexts,
      formerNames: formerNames)
  }
}

// MARK: - The transaction

extension StoreEvolution {
  /// Changes the store.
  ///
  /// - Parameter trees: of the new schema; all are there.
  /// - Throws: `uniquenessViolations` of a new constraint; `modelMismatch`, `diskFull`, `damaged`,
  ///   `storage`. The store is then as it was.
  /// - Returns: false if the store has got another model in between: nothing was changed.
  func perform(in environment: Environment, _ trees: Trees) throws(StoreError) -> Bool {
    do {
      return try environment.writeSync { try perform(in: $0, trees) != nil }
    } catch {
      throw StoreError(catching: error)
    }
  }

  /// Changes the store within a transaction.
  ///
  /// - Parameter checksConstraints: whether new constraints are checked; else `checkConstraints`
  ///   does it later.
  /// - Returns: the generation of the last save; nil if the store has got another model in between:
  ///   nothing was changed.
  func perform(
    in transaction: WriteTransaction, _ trees: Trees, checksConstraints: Bool = true
  ) throws -> UInt64? {
    guard let tree = try transaction.tree(named: Trees.catalogName),
      try Catalog.version(in: transaction, tree) == stored.version
    else { return nil }
    let generation = try Catalog.generation(in: transaction, ofVersion: stored.version)
    try LinkTransfer(from: former, to: schema, trees, moves).run(in: transaction)
    try ExternalTransfer(from: former, to: schema, moves).run(in: transaction)
    try removeEntities(in: transaction)
    let indexes = indexDifference
    try removeEntries(of: indexes.removed, in: transaction)
    let view = StoreView(transaction, trees, schema, generation: 0)
    try texts?.calculate(in: view, transaction)
    let checked: Set<PropertyNumber> = checksConstraints ? indexes.newlyUnique : []
    try IndexMaker(view, making: indexes.made, checking: checked).run(in: transaction)
    try catalog.writeModel(in: transaction, tree)
    try Catalog.setGeneration(generation, ofVersion: catalog.version, in: transaction)
    return generation
  }

  /// The attributes that the code of a stage has to give a value to, by slot.
  var awaitedSlots: [(entity: EntitySchema, slot: Int)] {
    evolution.awaited.flatMap { property in
      schema.entities.compactMap { entity in
        guard !entity.description.isAbstract,
          entity.description.lineage.contains(where: { $0.name == property.entity }),
          let slot = entity.description.slot(named: property.property)
        else { return nil }
        return (entity, slot)
      }
    }
  }

  /// Empties the trees of removed entities.
  private func removeEntities(in transaction: WriteTransaction) throws {
    for name in evolution.removedEntities {
      guard let number = former.number(of: name) else { continue }
      for kind in TreeKind.allCases {
        let treeName = kind.name(of: number)
        guard let tree = try transaction.tree(named: treeName) else { continue }
        let writer = TreeWriter(tree, named: treeName, in: transaction)
        let isInherited = former.entities[name]?.superentity != nil
        if kind == .records, isInherited, try transaction.statistics(of: tree).entryCount > 0 {
          throw StoreError.modelMismatch([ModelMismatch(name, .removedWithObjects)])
        }
        try writer.empty()
      }
    }
  }

  /// Checks new constraints over the present state of the transaction.
  ///
  /// - Throws: `StoreError.uniquenessViolations`; `.damaged`, `LMDBError`.
  func checkConstraints(in transaction: WriteTransaction, _ trees: Trees) throws {
    let view = StoreView(transaction, trees, schema, generation: 0)
    try IndexMaker(view, making: [], checking: indexDifference.newlyUnique).run(in: transaction)
  }

  /// Removes the entries of removed and changed indexes.
  private func removeEntries(
    of removed: [(tree: String, number: PropertyNumber)], in transaction: WriteTransaction
  ) throws {
    for (tree, number) in removed {
      guard let opened = try transaction.tree(named: tree) else { continue }
      try TreeWriter(opened, named: tree, in: transaction).removeEntries(of: number)
    }
  }

  private var indexDifference: IndexDifference {
    IndexDifference(
      from: former, to: StoredModel(catalog), schema, evolution, moves,
      changedValues)
  }
}
