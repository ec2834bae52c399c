// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// What has been done to get a context's unsaved changes ready for a save.
///
/// ```
///  end of turn ─► willSave of objects ─► willSave notification ─► delete rules that deny ─► hand over
///                 ▲      │ changed                │ changed        rules and hooks of       or commit
///                 └──────┴────────────────────────┴────────────    validation
///                                     a child's save landed
/// ```
///
/// ## Isolation
/// The context's.
struct SavePreparation {
  /// What an object's change was when the object was last told of the save.
  struct Told {
    let kind: Change.Kind
    let record: Record?
    /// How often it was told.
    let count: Int

    init(_ change: Change, count: Int = 1) {
      kind = change.kind
      record = change.record
      self.count = count
    }
  }

  var told: [ObjectKey: Told] = [:]
  /// Whether the willSave notification is out: once for a save.
  var isAnnounced = false
  /// Whether objects or observers are being told: saving is refused meanwhile.
  var isTelling = false
  /// What was looked at for being valid.
  var validation = Validation()

  /// Whether the object has this change and was not told, or another than it was told of.
  func isUntold(_ key: ObjectKey, _ change: Change) -> Bool {
    guard let told = told[key] else { return true }
    return told.kind != change.kind || told.record != change.record
  }
}

extension ManagedObjectContext {
  /// So many times `willSave` is called on an object for one save. An object that changes something each
  /// time has a mistake in it: Core Data calls until the stack is full.
  private static let willSaveCountMax = 100
  /// So many times objects are called that the calls before have inserted or changed.
  private static let willSaveRoundCountMax = 1_000
  /// So many times children's saves that landed meanwhile are got ready too.
  private static let landingRoundCountMax = 1_000

  /// Tells objects and observers of the save, checks, lands what children have saved meanwhile, and
  /// publishes: until everything unsaved is ready. What `willSave` has changed stays if this throws.
  ///
  /// - Throws: `ContextError.endlessWillSave`, `.deleteDenied`, `.validationFailed`.
  func prepareToSave() throws {
    var rounds = 0
    repeat {
      if hasChanges {
        preparation?.isTelling = true
        defer { preparation?.isTelling = false }
        try tellObjects()
        if preparation?.isAnnounced == false {
          preparation?.isAnnounced = true
          post(SaveNotification.willSave, for: working)
          encodeEdits()
          try tellObjects()
        }
        try checkDeniedDeletes()
        try validate()
      }
      settleCompletely()
      rounds += 1
    } while rounds < Self.landingRoundCountMax && isUnprepared
    // Children may go on saving; what they have saved so far is not passed on unseen.
    if !isValidated, hasChanges { try validate() }
  }

  private var isUnprepared: Bool {
    hasChanges
      && (preparation?.isAnnounced == false || !isValidated || !untoldKeys().isEmpty)
  }

  /// Calls `willSave` of all unsaved objects that have it, and again of those that changed by it.
  private func tellObjects() throws {
    for _ in 0..<Self.willSaveRoundCountMax {
      let keys = untoldKeys()
      if keys.isEmpty { return }
      let restless = keys.filter { key in
        preparation?.told[key].map { $0.count >= Self.willSaveCountMax } ?? false
      }
      if !restless.isEmpty { throw endlessWillSave(restless) }
      for key in keys { tellObject(key) }
      encodeEdits()
    }
    let restless = untoldKeys()
    if restless.isEmpty { return }
    throw endlessWillSave(restless)
  }

  private func endlessWillSave(_ restless: [ObjectKey]) -> ContextError {
    .endlessWillSave(restless.map { ObjectID(store: schema.store, key: $0) })
  }

  private func tellObject(_ key: ObjectKey) {
    // Changed by another's willSave; its own sees that and need not be called again for it.
    if cache.object(for: key)?.draft != nil { encodeEdits() }
    // Deleted by another's willSave: the next round tells it of that.
    guard !edits.deletions.keys.contains(key), let change = working.change(for: key),
      let object = instance(of: key)
    else { return }
    let count = preparation?.told[key]?.count ?? 0
    preparation?.told[key] = SavePreparation.Told(change, count: count + 1)
    if object.home.hooks.contains(.willSave) { object.willSave() }
  }

  /// The unsaved objects that want to know of saves and do not know of this one. Ascending.
  private func untoldKeys() -> [ObjectKey] {
    guard let preparation, !schema.hooks.isDisjoint(with: [.willSave, .didSave]) else { return [] }
    var keys: [ObjectKey] = []
    for (depth, segment) in working.segments.enumerated() {
      for (key, change) in segment.changes {
        guard !schema.hooks(of: key.entity).isDisjoint(with: [.willSave, .didSave]),
          change.isAnything,
          !working.isShadowed(key, above: depth), preparation.isUntold(key, change)
        else { continue }
        keys.append(key)
      }
    }
    return keys.sorted()
  }

  /// The registered objects among `saved` whose `didSave` is to be called.
  func objectsToTell(of saved: ChangeTable) -> [ManagedObject] {
    guard schema.hooks.contains(.didSave) else { return [] }
    let keys = saved.filter { key, change in
      schema.hooks(of: key.entity).contains(.didSave) && !change.isReadLock
    }.keys
    return keys.sorted().compactMap { cache.object(for: $0) }
  }
}
