// SPDX-License-Identifier: Apache-2.0
package import StrataChanges
import StrataLMDB
package import StrataModel
import StrataRecord

/// Runs the stages that migrate a store to a model. Each stage is one transaction. Readers see the
/// state before the stage or the state after it. A stage that fails, or whose process ends, changes
/// nothing.
///
/// The stage that begins with the store's model runs next. If there is none, the store is migrated
/// by inference to the model of the first remaining stage that inference can reach.
///
/// The catalog has the last stage that the store has been through. Later models may equal earlier
/// ones, and inference may lead from a later model to an earlier one. So only the stages after the
/// last one are looked at.
///
/// A stage that only moves names begins and ends with the same outline. The former names in the
/// catalog tell whether the store has been through it, and not its place in the plan.
///
/// ## Isolation
/// Any thread; stages run on the writer thread.
package struct StoreMigration {
  private let environment: Environment
  private let path: String
  private let stages: [StoreStage]
  private let watch: BatchWatch

  /// - Parameters:
  ///   - path: the path of an existing store.
  ///   - removing: the data that may be deleted after the last stage.
  ///   - byteCountMax: as in `LMDBStore.open`.
  ///   - busyTimeout: as in `LMDBStore.open`.
  ///   - watch: can cancel the migration.
  /// - Throws: as `LMDBStore.open`.
  package init(
    at path: String, _ stages: [StoreStage], removing: DataRemoval, durability: StoreDurability,
    byteCountMax: Int?, busyTimeout: Duration?, _ watch: BatchWatch
  ) throws(StoreError) {
    self.path = path
    self.stages = stages
    self.watch = watch
    var options = EnvironmentOptions(
      durability: durability, byteCountMax: byteCountMax, busyTimeout: busyTimeout)
    let counts = stages.flatMap { [$0.from, $0.to] }.map(Trees.countMax)
    options.treeCountMax = counts.reduce(0, +) + 3 * removing.count + 64
    do throws(LMDBError) {
      environment = try Environment.open(at: path, options: options)
    } catch {
      throw StoreError(error, opening: path)
    }
  }

  /// Creates a store of a program's model, with the note that it has been through the stages. A
  /// file at the path stays as it is.
  ///
  /// - Throws: `folderMissing`, `permissionDenied`, `diskFull`, `storage`.
  package static func createStore(
    at path: String, model: ManagedObjectModel,
    after stages: [(from: ManagedObjectModel, to: ManagedObjectModel)]
  ) throws(StoreError) {
    guard try StoreFile.kind(at: path) == .nothing else { return }
    let outline = ModelOutline(model)
    let stage = digest(ofLast: stages, of: outline, outline)
    try StoreFile.create(
      at: path, model: model,
      from: stage.map { .migrated(stage: $0, models: stages.map(\.to)) } ?? .new)
  }

  /// Runs stage after stage until the store has the model, or no stage can run.
  ///
  /// - Parameter model: the model to which the store is migrated.
  /// - Returns: the stages that were run.
  /// - Throws: `StoreError`, `.laterModel` among others; `CancellationError`; the errors of the
  ///   stages' code.
  package func run(to model: ManagedObjectModel) throws -> [StageOutcome] {
    var outcomes: [StageOutcome] = []
    let target = ModelOutline(model)
    let stages = self.stages(upTo: target)
    while true {
      let (catalog, noted) = try openCatalog(expecting: target, model)
      let last = outcomes.last?.index ?? position(noted)
      if let index = try Self.movingStage(in: stages, of: catalog) {
        if let outcome = try perform(stages[index], at: index, on: catalog) {
          outcomes.append(outcome)
        }
        continue
      }
      if catalog.outline == target {
        note(catalog, target, unless: noted)
        return outcomes
      }
      try requireNoWayBack(from: catalog.outline, to: target)
      if let index = Self.stage(
        from: catalog.outline, in: stages, after: last, isFirst: outcomes.isEmpty)
      {
        if let outcome = try perform(stages[index], at: index, on: catalog) {
          outcomes.append(outcome)
        }
      } else if let stage = try Self.nextStage(in: stages, withinReachOf: catalog, after: last) {
        try infer(stage.from, on: catalog)
      } else {
        note(catalog, target, unless: noted)
        return outcomes
      }
    }
  }

  private func openCatalog(
    expecting target: ModelOutline, _ model: ManagedObjectModel
  ) throws(StoreError) -> (catalog: Catalog, noted: UInt64?) {
    let opened = try OpenStore.openCatalog(
      of: environment, path: path, expecting: target, SchemaNumbers(newStoreOf: model))
    return (opened.catalog, try Catalog.stage(in: opened.transaction, opened.tree))
  }

  /// The index of the stage that begins with the store's model; nil if no stage does.
  ///
  /// - Parameters:
  ///   - last: the index of the last stage that the store has been through; nil if it is not known.
  ///   - isFirst: whether no stage has run yet.
  private static func stage(
    from stored: ModelOutline, in stages: ArraySlice<StoreStage>, after last: Int?, isFirst: Bool
  ) -> Int? {
    func begins(_ stage: StoreStage) -> Bool {
      // A stage that does not change the model has nothing to do.
      ModelOutline(stage.from) == stored && ModelOutline(stage.to) != stored
    }
    let next = stages.dropFirst((last ?? -1) + 1).firstIndex(where: begins)
    guard next == nil, isFirst, let last, stages.indices.contains(last),
      ModelOutline(stages[last].to) != stored
    else {
      return next
    }
    // A program without the plan has led the store back to an earlier model by inference.
    return stages.firstIndex(where: begins)
  }

  /// The index of the first stage that moves names of the store's model and changes nothing else of
  /// it; nil if the store has been through all such stages.
  private static func movingStage(
    in stages: ArraySlice<StoreStage>, of catalog: Catalog
  ) throws(StoreError) -> Int? {
    for (index, stage) in zip(stages.indices, stages) {
      let outline = ModelOutline(stage.to)
      if outline == catalog.outline, ModelOutline(stage.from) == outline,
        try !catalog.has(stage.to, outline)
      {
        return index
      }
    }
    return nil
  }

  // MARK: - The position in the plan

  /// The stages that do not lead past the target; all of them if the plan does not have it.
  private func stages(upTo target: ModelOutline) -> ArraySlice<StoreStage> {
    let outlines = stages.flatMap { [ModelOutline($0.from), ModelOutline($0.to)] }
    guard let place = outlines.lastIndex(of: target) else { return stages[...] }
    return stages[..<((place + 1) / 2)]
  }

  /// The index of the last stage that the store has been through; nil if it is not known.
  private func position(_ noted: UInt64?) -> Int? {
    noted.flatMap { noted in stages.lastIndex { Self.digest(of: $0.to) == noted } }
  }

  private static func digest(of model: ManagedObjectModel) -> UInt64 {
    ModelOutline(model).text.withUnsafeBytes { DataStamp(of: $0).digest }
  }

  /// The digest of the last stage that leads to a store's model. A store that was made with the
  /// model of the program has been through all stages.
  private static func digest(
    ofLast stages: [(from: ManagedObjectModel, to: ManagedObjectModel)], of stored: ModelOutline,
    _ target: ModelOutline
  ) -> UInt64? {
    let isLater = stored == target && !stages.contains { ModelOutline($0.from) == target }
    let last = stages.last { ModelOutline($0.to) == stored } ?? (isLater ? stages.last : nil)
    return last.map { digest(of: $0.to) }
  }

  /// Notes the last stage of which the store has the model.
  private func note(_ catalog: Catalog, _ target: ModelOutline, unless noted: UInt64?) {
    let digest = Self.digest(ofLast: stages.map { ($0.from, $0.to) }, of: catalog.outline, target)
    guard let digest, digest != noted else { return }
    // The store can be used without the note: a full disk is no error here.
    try? environment.writeSync { transaction in
      guard let tree = try transaction.tree(named: Trees.catalogName),
        try Catalog.version(in: transaction, tree) == catalog.version
      else { return }
      try Catalog.setStage(digest, in: transaction, tree)
    }
  }

  // MARK: - No way back

  /// - Throws: `laterModel` if the plan has the target, and the store has a later model of it.
  private func requireNoWayBack(
    from stored: ModelOutline, to target: ModelOutline
  ) throws(StoreError) {
    let outlines = stages.flatMap { [ModelOutline($0.from), ModelOutline($0.to)] }
    guard let place = outlines.firstIndex(of: stored),
      let targetPlace = outlines.lastIndex(of: target), targetPlace < place
    else { return }
    throw .laterModel(stage: stages[(place - 1) / 2].name)
  }

  // MARK: - Inference

  /// The first stage, after the stages that the store has been through, that begins with a model to
  /// which the store can be migrated by inference.
  private static func nextStage(
    in stages: ArraySlice<StoreStage>, withinReachOf catalog: Catalog, after index: Int?
  ) throws(StoreError) -> StoreStage? {
    let formerNames = try catalog.formerNames()
    let last = max(
      index ?? -1, stages.lastIndex { ModelOutline($0.to) == catalog.outline } ?? -1)
    return stages.dropFirst(last + 1).first {
      ModelEvolution(from: catalog.outline, formerNames, to: $0.from).mismatches.isEmpty
    }
  }

  private func infer(_ model: ManagedObjectModel, on catalog: Catalog) throws {
    let evolution = try StoreEvolution(from: catalog, to: model, removing: DataRemoval())
    try StoreFile.makeTrees(of: evolution.schema, in: environment)
    _ = try evolution.perform(in: environment, try Trees(evolution.schema, in: environment))
  }

  // MARK: - A stage

  /// - Returns: nil if another process has changed the store's model in between.
  private func perform(
    _ stage: StoreStage, at index: Int, on catalog: Catalog
  ) throws -> StageOutcome? {
    let start = ContinuousClock.now
    let evolution = try StoreEvolution(
      from: catalog, to: stage.to, removing: stage.removing, converting: stage.converting,
      after: stages[...index].map(\.to))
    try StoreFile.makeTrees(of: evolution.schema, in: environment)
    let trees = try Trees(evolution.schema, in: environment)
    let former = try formerSchema(catalog)
    let formerTrees = try Trees(former, in: environment)
    let queue = CommitQueue(
      environment: environment, trees: trees, schema: evolution.schema, isReadOnly: false)
    let counts: MigrationCounts?
    do {
      counts = try environment.writeSync { [environment, watch] transaction in
        let before = try Self.view(of: former, formerTrees, in: environment)
        guard
          let generation = try evolution.perform(
            in: transaction, trees, checksConstraints: false)
        else { return nil }
        if let tree = try transaction.tree(named: Trees.catalogName) {
          try Catalog.setStage(Self.digest(of: stage.to), in: transaction, tree)
        }
        let store = try TransactionStore(transaction, queue, generation: generation) {
          try watch.check()
        }
        try watch.check()
        try stage.convert(store, before)
        try Self.requireValues(evolution, in: try store.snapshot())
        try evolution.checkConstraints(in: transaction, trees)
        try store.finish()
        return store.counts
      }
    } catch let error as LMDBError {
      throw StoreError(error)
    }
    return counts.map {
      StageOutcome(index: index, counts: $0, duration: ContinuousClock.now - start)
    }
  }

  /// The schema of the store before the stage, without classes.
  private func formerSchema(_ catalog: Catalog) throws -> Schema {
    let model: ManagedObjectModel
    do throws(ModelError) {
      model = try ManagedObjectModel(catalog.outline, class: StoredClass.self)
    } catch {
      throw StoreError.damaged(
        tree: Trees.catalogName, key: "model", reason: "it makes no sense: \(error)")
    }
    return Schema(
      model: model, numbers: catalog.numbers, store: StoreIdentity(catalog.uuid),
      version: catalog.version, layouts: catalog.layouts)
  }

  /// A view of the committed state.
  private static func view(
    of schema: Schema, _ trees: Trees, in environment: Environment
  ) throws -> ReadView {
    let reader = TreeReader(try environment.read(), trees, schema)
    return ReadView(of: try StoreView(reader), schema)
  }

  /// - Throws: `StoreError.valuesMissing` if objects have no value of an attribute that must have
  ///   one.
  private static func requireValues(
    _ evolution: StoreEvolution, in snapshot: any Snapshot
  ) throws {
    for (entity, slot) in evolution.awaitedSlots {
      var count = 0
      try snapshot.scanRecords(of: entity.number) { _, _, bytes in
        guard let start = bytes.baseAddress else { return .more }
        if entity.layout.slot(slot, at: start).rawBytes == nil { count += 1 }
        return .more
      }
      if count > 0 {
        throw StoreError.valuesMissing(
          entity: entity.description.name, property: entity.description.properties[slot].name,
          objectCount: count)
      }
    }
  }
}

/// The class of all entities of a model that is made from a file's own description.
private final class StoredClass {}
