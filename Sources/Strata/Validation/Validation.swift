// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

/// One validation of a context's unsaved changes: every changed object is compared with the rules
/// of its entity, every relationship whose members changed is counted, and the hooks of changed
/// objects are called. All failures are collected.
///
/// It reads records and links: no object is made for a rule, no member for a count. Objects are
/// made for hooks.
///
/// A save may validate several times, because it includes children's saves that arrive in between;
/// then it validates later changes only.
///
/// ## Counted relationships
/// The record of an object with a to-many relationship does not change with its members. So
/// counting begins at the changes:
///
/// | changed | counted |
/// | --- | --- |
/// | an object that has counted relationships | these |
/// | a to-one slot, in a changed, new or deleted object | those of its former and its new target |
/// | a link that is stored beside the objects | its relationship |
/// | a deleted object whose links are removed with it | those that had it as a member |
///
/// ## Isolation
/// The context's.
struct Validation {
  private typealias ChangedObject = (key: ObjectKey, change: Change)

  /// The changes that were validated.
  private var validatedChanges: [ObjectKey: (kind: Change.Kind, record: Record?)] = [:]
  /// All that was unsaved at the last validation.
  private var validatedOverlay = Overlay()
  private var failures = ValidationFailures()

  /// Whether all of `working` has been validated.
  func hasValidated(_ working: Overlay) -> Bool { working.isIdentical(to: validatedOverlay) }

  /// Validates the unsaved changes that were not validated before.
  ///
  /// - Returns: the failures, by object and by property.
  /// - Throws: the errors of reading.
  mutating func validateChanges(of session: SaveSession) throws -> [ValidationFailure] {
    session.work.encodeEdits()
    let working = session.work.working
    let view = try session.reader.currentViewIncludingEdits()
    let (changed, places) = try unvalidatedChanges(in: working, session, over: view)
    failures = ValidationFailures()
    try checkRefusals(session, view)
    try checkStoredRules(of: changed, affecting: places, session, view)
    if session.isDeriving, session.schema.validation.concernsDerived {
      try checkDerivedRules(of: changed, in: working, session, view)
    }
    for (key, change) in changed {
      validatedChanges[key] = (change.kind, change.record)
      if change.kind != .delete || change.base != nil { callHook(of: key, change.kind, session) }
    }
    validatedOverlay = working
    return failures.sorted
  }

  /// Validates one object as it is, changed or not, and calls its hook.
  static func validate(
    _ object: ManagedObject, in session: SaveSession
  ) throws -> [ValidationFailure] {
    var validation = Validation()
    if object.status == .deleted {
      validation.callHook(of: object.key, .delete, session)
    } else {
      try validation.checkRules(of: object, session)
      validation.callHook(of: object.key, object.isInserted ? .insert : .update, session)
    }
    return validation.failures.sorted
  }

  /// Validates one property of an object as it is. No hook is called.
  static func validateProperty(
    at slot: Int, of object: ManagedObject, in session: SaveSession
  ) throws -> [ValidationFailure] {
    var validation = Validation()
    try validation.checkRules(of: object, session)
    return validation.failures.failures(at: slot)
  }

  private mutating func checkRules(
    of object: ManagedObject, _ session: SaveSession
  ) throws {
    let view = try session.reader.currentViewIncludingEdits()
    guard let record = session.registry.cache.originalRecord(of: object) else { return }
    if let refused = session.work.obstacles.refused[object.key] {
      failures.add(refused, of: object.key, object.binding.entity)
    }
    check(record, of: object.key, session, derived: false)
    for count in session.schema.validation[object.key.entity]?.counts ?? [] {
      try failures.checkCount(at: LinkPlace(count.relationship.number, object.key), in: view)
    }
  }

  // MARK: - Objects to validate

  /// The changes to validate, in ascending order of keys, and the relationships that gain or lose
  /// members by them.
  private func unvalidatedChanges(
    in working: Overlay, _ session: SaveSession, over view: ReadView
  ) throws -> (changed: [ChangedObject], places: Set<LinkPlace>) {
    let beneath = view.over(Overlay())
    var memberships = MembershipChanges(session.schema.validation.memberships)
    var changed: [ChangedObject] = []
    for (depth, segment) in working.segments.enumerated() {
      if validatedOverlay.segments.contains(where: { $0 === segment }) { continue }
      for (key, change) in segment.changes where !working.isShadowed(key, above: depth) {
        let isMember = memberships.schema[key.entity] != nil
        guard isMember || session.schema.validation[key.entity] != nil, isNew(key, change) else {
          continue
        }
        if isMember {
          try memberships.add(
            key, change, over: beneath, addedEarlier: validatedChanges[key]?.record)
        }
        changed.append((key, change))
      }
      memberships.add(segment.links)
    }
    changed.sort { $0.key < $1.key }
    return (changed, memberships.places)
  }

  /// An object that came and went is unchanged, unless it was validated in between.
  private func isNew(_ key: ObjectKey, _ change: Change) -> Bool {
    guard !change.isReadLock else { return false }
    guard let validated = validatedChanges[key] else {
      return change.kind != .delete || change.base != nil
    }
    return validated.kind != change.kind || validated.record != change.record
  }

  // MARK: - Refused values

  /// Reports the values that objects were given and that cannot be stored. Those of objects that
  /// are gone are forgotten.
  private mutating func checkRefusals(_ session: SaveSession, _ view: ReadView) throws {
    for (key, refused) in session.work.obstacles.refused {
      if let entity = session.schema.entity(key.entity), try view.exists(key) {
        failures.add(refused, of: key, entity)
      } else {
        session.work.obstacles.refused[key] = nil
      }
    }
  }

  // MARK: - Rules

  /// Checks the records of changed objects, except for derived attributes, and counts members.
  ///
  /// - Parameter places: the relationships that gain or lose members by the changes.
  private mutating func checkStoredRules(
    of changed: [ChangedObject], affecting places: Set<LinkPlace>, _ session: SaveSession,
    _ view: ReadView
  ) throws {
    var places = places
    for (key, change) in changed {
      guard let record = change.record else { continue }
      check(record, of: key, session, derived: false)
      for count in session.schema.validation[key.entity]?.counts ?? [] {
        places.insert(LinkPlace(count.relationship.number, key))
      }
    }
    for place in places { try failures.checkCount(at: place, in: view) }
  }

  /// Checks the derived attributes of the changed objects, and of those whose derived attributes
  /// follow from the changes. Edits never set them: the store derives them after the save's
  /// conflicts are decided.
  private mutating func checkDerivedRules(
    of changed: [ChangedObject], in working: Overlay, _ session: SaveSession, _ view: ReadView
  ) throws {
    var derivation = Derivation(session.schema)
    try derivation.want(unsaved: working, in: view)
    var arena = RecordArena()
    var records: [ObjectKey: Record] = [:]
    do {
      records = try derivation.records(in: view, into: &arena)
    } catch let error as DerivedValueTooLarge {
      if let entity = session.schema.entity(error.key.entity) {
        failures.add([error.slot: error.refusal], of: error.key, entity)
      }
    }
    for (key, change) in changed where records[key] == nil { records[key] = change.record }
    for (key, record) in records { check(record, of: key, session, derived: true) }
  }

  /// - Parameter isDerived: whether the derived attributes are checked, or all the rest.
  private mutating func check(
    _ record: Record, of key: ObjectKey, _ session: SaveSession, derived isDerived: Bool
  ) {
    guard let entity = session.schema.entity(key.entity),
      let validation = session.schema.validation[key.entity]
    else { return }
    for attribute in validation.attributes where attribute.isDerived == isDerived {
      failures.check(attribute, of: key, entity, record, with: &session.ruleChecker)
    }
    if isDerived { return }
    for slot in validation.requiredTargets
    where record.toOne(at: slot, layout: entity.layout) == nil {
      failures.add(key, entity, at: slot, .required)
    }
  }

  // MARK: - Hooks

  private mutating func callHook(
    of key: ObjectKey, _ kind: Change.Kind, _ session: SaveSession
  ) {
    let (hook, method, call) = Self.hook(for: kind)
    guard session.schema.validation[key.entity]?.hooks.contains(hook) == true,
      let object = session.loader.instance(of: key)
    else { return }
    let former = session.work.working
    do { try call(object) } catch {
      failures.add(key, object.binding.entity, .hook(method), error: error)
    }
    if !session.work.edits.isEmpty || !session.work.working.isIdentical(to: former) {
      session.work.encodeEdits()
      failures.add(key, object.binding.entity, .unchanged(by: method))
    }
  }

  private static func hook(
    for kind: Change.Kind
  ) -> (_LifeCycleHooks, ValidationFailure.Hook, (ManagedObject) throws -> Void) {
    switch kind {
    case .insert: (.validateForInsert, .validateForInsert, { try $0.validateForInsert() })
    case .update: (.validateForUpdate, .validateForUpdate, { try $0.validateForUpdate() })
    case .delete: (.validateForDelete, .validateForDelete, { try $0.validateForDelete() })
    }
  }
}

extension ContextError {
  /// The error of values that an object was given and that cannot be stored, by slot.
  static func refusing(
    _ refused: [Int: ValueRefusal], of key: ObjectKey, _ entity: EntitySchema
  ) -> ContextError {
    var failures = ValidationFailures()
    failures.add(refused, of: key, entity)
    return .validationFailed(failures.sorted)
  }
}
