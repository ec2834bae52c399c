// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

extension SaveSession {
  /// The maximum number of `willSave` calls on an object for one save. An object that changes
  /// something each time is faulty: Core Data calls it until the stack is full.
  private static let willSaveCountMax = 100
  /// The maximum number of rounds for objects that earlier calls have inserted or changed.
  private static let willSaveRoundCountMax = 1_000
  /// The maximum number of rounds for children's saves that arrive in between.
  private static let integrationRoundCountMax = 1_000

  /// Notifies objects and observers of the save, checks, integrates children's saves that arrive in
  /// between, and publishes, until all unsaved changes are ready. If this throws, the changes of
  /// `willSave` stay.
  ///
  /// - Throws: `ContextError.endlessWillSave`, `.deleteDenied`, `.validationFailed`;
  ///   `StoreError.conflicts` of edits that children's saves have replaced.
  func prepareToSave() throws {
    var rounds = 0
    repeat {
      if work.hasChanges {
        preparation?.isInCallback = true
        defer { preparation?.isInCallback = false }
        try callWillSave()
        if preparation?.isAnnounced == false {
          preparation?.isAnnounced = true
          reporter.post(.willSave, ChangedObjects(saved: work.working, nil, schema: schema))
          work.encodeEdits()
          try callWillSave()
        }
        try deletion.checkDeniedDeletes()
        try validate()
      }
      publisher.publishAndIntegrateCompletely()
      rounds += 1
    } while rounds < Self.integrationRoundCountMax && isUnprepared
    // Children may go on saving; their saves so far are validated before they are passed on.
    if !isValidated, work.hasChanges { try validate() }
  }

  private var isUnprepared: Bool {
    work.hasChanges
      && (preparation?.isAnnounced == false || !isValidated || !keysNeedingWillSave().isEmpty)
  }

  /// Calls `willSave` of all unsaved objects that have it, and again of those that changed by it.
  private func callWillSave() throws {
    for round in 0... {
      let keys = keysNeedingWillSave()
      if keys.isEmpty { return }
      let stillChanging = keys.filter { key in
        round == Self.willSaveRoundCountMax
          || preparation?.willSaveCalls[key].map { $0.count >= Self.willSaveCountMax } ?? false
      }
      guard stillChanging.isEmpty else {
        throw ContextError.endlessWillSave(
          stillChanging.map { ObjectID(store: schema.store, key: $0) })
      }
      for key in keys { callWillSave(of: key) }
      work.encodeEdits()
    }
  }

  private func callWillSave(of key: ObjectKey) {
    // Changed by another's willSave; its own sees that and need not be called again for it.
    if registry.cache.object(for: key)?.draft != nil { work.encodeEdits() }
    // Deleted by another's willSave: the next round calls its `willSave`.
    guard !work.edits.deletions.keys.contains(key), let change = work.working.change(for: key),
      let object = loader.instance(of: key)
    else { return }
    let count = preparation?.willSaveCalls[key]?.count ?? 0
    preparation?.willSaveCalls[key] = (change.kind, change.record, count + 1)
    if object.binding.hooks.contains(.willSave) { object.willSave() }
  }

  /// The unsaved objects with save hooks that were not called for this save. Ascending.
  private func keysNeedingWillSave() -> [ObjectKey] {
    guard let preparation, !schema.hooks.isDisjoint(with: [.willSave, .didSave]) else { return [] }
    var keys: [ObjectKey] = []
    for (depth, segment) in work.working.segments.enumerated() {
      for (key, change) in segment.changes {
        guard !schema.hooks(of: key.entity).isDisjoint(with: [.willSave, .didSave]),
          change.isAnything,
          !work.working.isShadowed(key, above: depth), preparation.needsWillSave(key, change)
        else { continue }
        keys.append(key)
      }
    }
    return keys.sorted()
  }

  /// Validates the unsaved changes that were not validated for this save.
  ///
  /// - Throws: `StoreError.conflicts` of edits that children's saves have replaced;
  ///   `ContextError.validationFailed`; the errors of reading.
  func validate() throws {
    if !work.obstacles.overtaken.isEmpty {
      let conflicts = work.obstacles.overtaken.conflicts(in: work.working, schema: schema)
      // By the other policies the child's values hold.
      if mergePolicy == .error, !conflicts.isEmpty { throw StoreError.conflicts(conflicts) }
      work.obstacles.overtaken = OvertakenEdits()
    }
    guard !isValidated, var validation = preparation?.validation else { return }
    let wasInCallback = preparation?.isInCallback ?? false
    preparation?.isInCallback = true
    defer { preparation?.isInCallback = wasInCallback }
    let failures = try validation.validateChanges(of: self)
    guard failures.isEmpty else { throw ContextError.validationFailed(failures) }
    preparation?.validation = validation
  }

  /// Whether a save is being prepared that reaches the store: it alone derives attributes.
  var isDeriving: Bool { preparation != nil && layer.parent == nil }

  /// Whether everything unsaved has been validated for this save.
  var isValidated: Bool {
    work.obstacles.refused.isEmpty && work.obstacles.overtaken.isEmpty
      && (schema.validation.isEmpty || preparation?.validation.hasValidated(work.working) == true)
  }
}
