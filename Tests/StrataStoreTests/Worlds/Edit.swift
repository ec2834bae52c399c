// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord
import StrataStore

/// The changes of one save, assembled without a context.
struct Edit {
  let store: any PersistentStore
  var changes: [ObjectKey: Change] = [:]
  var links = LinkChanges()
  var policy = MergePolicy.error
  private var arena = RecordArena()

  init(_ store: any PersistentStore, policy: MergePolicy = .error) {
    self.store = store
    self.policy = policy
  }

  var segment: Segment { Segment(changes: changes, links: links, schema: store.schema) }

  var changeSet: ChangeSet { ChangeSet(Overlay([segment]), mergePolicy: policy) }

  @discardableResult
  func save() throws -> CommitResult { try store.commit(changeSet) }

  // MARK: - Objects

  @discardableResult
  mutating func insert(
    _ entity: EntityDescription, _ values: [String: PropertyValue] = [:], key: ObjectKey? = nil
  ) -> ObjectKey {
    let schema = store.schema.of(entity)
    let key = key ?? ObjectKey(entity: schema.number, serial: store.nextSerial())
    let (record, slots, external) = encode(values, over: nil, schema)
    changes[key] = .insert(record, slots: slots, external: external)
    return key
  }

  mutating func update(_ key: ObjectKey, from base: StoredRecord, _ values: [String: PropertyValue])
  {
    guard let schema = store.schema.entity(key.entity) else { return }
    let current = changes[key]?.record ?? base.record
    let (record, set, external) = encode(values, over: current, schema)
    let slots = set.union(changes[key]?.slots ?? SlotSet())
    changes[key] = .update(
      record, base: Base(base), slots: slots,
      external: external.fitting(
        record, schema.layout, in: slots, orElse: changes[key]?.external ?? ExternalValues()))
  }

  /// Updates the store's present state.
  mutating func update(_ key: ObjectKey, _ values: [String: PropertyValue]) throws {
    update(key, from: try store.stored(key), values)
  }

  mutating func delete(_ key: ObjectKey, from base: StoredRecord) {
    changes[key] = .delete(base: Base(base))
  }

  mutating func delete(_ key: ObjectKey) throws { delete(key, from: try store.stored(key)) }

  private mutating func encode(
    _ values: [String: PropertyValue], over base: Record?, _ schema: EntitySchema
  ) -> (Record, SlotSet, ExternalValues) {
    var drafts = DraftArena()
    let draft = Draft.make(schema.layout, base: base, in: &drafts)
    for (name, value) in values {
      guard let slot = schema.description.slot(named: name) else { continue }
      draft.setValue(value, at: slot)
    }
    return (draft.encode(into: &arena), draft.changed, draft.external)
  }

  // MARK: - Links

  mutating func link(
    _ owner: ObjectKey, _ relationship: String, to target: ObjectKey, position: UInt64 = 0
  ) {
    set(.present(position: position), owner, relationship, target)
  }

  mutating func unlink(_ owner: ObjectKey, _ relationship: String, from target: ObjectKey) {
    set(.absent, owner, relationship, target)
  }

  private mutating func set(
    _ state: LinkState, _ owner: ObjectKey, _ relationship: String, _ target: ObjectKey
  ) {
    let schema = store.schema.relationship(relationship, of: owner.entity)
    guard case .links(let number, let mirror) = schema.storage else { return }
    links.set(state, at: LinkPlace(number, owner), to: target)
    links.set(state, at: LinkPlace(mirror, target), to: owner)
  }
}

// MARK: - Finding one's way in a schema

extension Schema {
  func of(_ entity: EntityDescription) -> EntitySchema {
    guard let schema = entities.first(where: { $0.description === entity }) else {
      preconditionFailure("\(entity.name) is not in the model")
    }
    return schema
  }

  func relationship(_ name: String, of entity: EntityNumber) -> RelationshipSchema {
    guard
      let relationship = self.entity(entity)?.relationships.compactMap(\.self)
        .first(where: { $0.name == name })
    else { preconditionFailure("there is no relationship \(name)") }
    return relationship
  }

  func index(_ name: String, of entity: EntityDescription) -> IndexSchema {
    guard let slot = entity.slot(named: name), let index = of(entity).index(at: slot) else {
      preconditionFailure("\(name) has no index")
    }
    return index
  }
}

// MARK: - Looking into a store

extension PersistentStore {
  /// The store's state of `key`; a test asks only for objects that it has saved.
  func stored(_ key: ObjectKey) throws -> StoredRecord {
    guard let stored = try snapshot().record(for: key) else { throw Absent() }
    return stored
  }

  func value(_ name: String, of key: ObjectKey) throws -> PropertyValue {
    try value(name, of: key, in: snapshot())
  }

  func value(_ name: String, of key: ObjectKey, in snapshot: any Snapshot) throws -> PropertyValue {
    guard let entity = schema.entity(key.entity),
      let slot = entity.description.slot(named: name),
      let stored = try snapshot.record(for: key)
    else { throw Absent() }
    return stored.record.value(at: slot, layout: entity.layout, store: schema.store)
  }

  /// The objects of an index in its order.
  func keys(
    byIndex name: String, of entity: EntityDescription, in range: KeyRange = KeyRange(),
    isReversed: Bool = false
  ) throws -> [ObjectKey] {
    var keys: [ObjectKey] = []
    try snapshot().scanIndex(
      schema.index(name, of: entity).number, in: range, isReversed: isReversed
    ) { _, key in
      keys.append(key)
      return .more
    }
    return keys
  }

  func targets(_ relationship: String, of owner: ObjectKey) throws -> [ObjectKey: UInt64] {
    let relationship = schema.relationship(relationship, of: owner.entity)
    guard case .links(let number, _) = relationship.storage else { return [:] }
    return try targets(at: LinkPlace(number, owner))
  }

  func targets(at place: LinkPlace) throws -> [ObjectKey: UInt64] {
    var targets: [ObjectKey: UInt64] = [:]
    try snapshot().scanLinks(at: place) { target, position in
      targets[target] = position
      return .more
    }
    return targets
  }

  func id(_ key: ObjectKey) -> ObjectID { ObjectID(store: schema.store, key: key) }
}

/// A test looked for an object that the store does not have.
struct Absent: Error {}
