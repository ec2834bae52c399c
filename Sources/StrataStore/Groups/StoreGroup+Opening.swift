// SPDX-License-Identifier: Apache-2.0
import StrataChanges
package import StrataModel
import StrataRecord

/// How a store of a group is opened.
package struct GroupMemberOptions: Sendable {
  /// The path of its file; nil for a store in memory.
  package var path: String?
  /// For messages.
  package var name: String
  /// The names of the entities whose new objects it accepts, with those that inherit from them; nil
  /// for all.
  package var entities: Set<String>?
  package var durability: StoreDurability
  package var byteCountMax: Int?
  package var busyTimeout: Duration?
  package var isReadOnly: Bool
  package var ignoresStamp: Bool

  package init(
    path: String?, name: String, entities: Set<String>? = nil,
    durability: StoreDurability = .full, byteCountMax: Int? = nil,
    busyTimeout: Duration? = LMDBStore.busyTimeoutDefault, isReadOnly: Bool = false,
    ignoresStamp: Bool = false
  ) {
    (self.path, self.name, self.entities) = (path, name, entities)
    (self.durability, self.byteCountMax) = (durability, byteCountMax)
    (self.busyTimeout, self.isReadOnly) = (busyTimeout, isReadOnly)
    self.ignoresStamp = ignoresStamp
  }
}

extension StoreGroup {
  /// Opens stores to use them as one, and creates those that do not exist.
  ///
  /// The stores that exist are opened first, in order: each is taken to `model` by itself. A new
  /// store gets the numbers of the model from the first of them, and the range of serials after
  /// their highest. So the order of the stores can change from one opening to the next.
  ///
  /// - Parameters:
  ///   - members: one at least.
  ///   - removing: as of a store.
  /// - Throws: `incompatibleStores`; `migrationRequired` of a read-only store that has had fewer
  ///   models than the others; the errors of opening each store. Stores that were created
  ///   before an error stay.
  package static func open(
    _ members: [GroupMemberOptions], model: ManagedObjectModel,
    removing: DataRemoval = DataRemoval()
  ) throws(StoreError) -> StoreGroup {
    // Asked once: the second of two descriptions of one new file finds it afterwards.
    var areThere: [Bool] = []
    for member in members { areThere.append(try member.exists()) }
    var stores = [LMDBStore?](repeating: nil, count: members.count)
    for (place, member) in members.enumerated() where areThere[place] {
      stores[place] = try member.open(model: model, removing: removing, from: nil)
    }
    var ranges: [Int] = []
    for store in stores { ranges.append(try store?.serialRange() ?? -1) }
    // Before anything is written to a store.
    try requireDistinct(groupMembers(of: stores, ranges, members))
    try align(&stores, of: members, model: model)
    for (place, member) in members.enumerated() where !areThere[place] {
      let next = (ranges.max() ?? -1) + 1
      guard next < ObjectKey.serialRangeCount else { throw .incompatibleStores(.noSerialsLeft) }
      let first = stores.compactMap { $0 }.first?.schema
      let origin = first.map { StoreOrigin(besides: $0, range: next) }
      let store = try member.open(model: model, removing: removing, from: origin)
      stores[place] = store
      ranges[place] = try store.serialRange()
    }
    let groupMembers = try groupMembers(of: stores, ranges, members)
    try requireDistinct(groupMembers)
    for member in groupMembers.dropFirst() { try member.requireSameLayouts(as: groupMembers[0]) }
    return StoreGroup(groupMembers, model: model)
  }

  private static func groupMembers(
    of stores: [LMDBStore?], _ ranges: [Int], _ members: [GroupMemberOptions]
  ) throws(StoreError) -> [GroupMember] {
    var groupMembers: [GroupMember] = []
    for case (let place, let store?) in stores.enumerated() {
      groupMembers.append(
        GroupMember(
          store: store, range: ranges[place], name: members[place].name,
          entities: try members[place].numbers(in: store.schema)))
    }
    return groupMembers
  }

  private static func requireDistinct(_ groupMembers: [GroupMember]) throws(StoreError) {
    for (place, member) in groupMembers.enumerated() {
      for other in groupMembers[..<place] { try member.requireDistinct(from: other) }
    }
  }

  /// Gives the layouts the same versions in all stores, and opens those again whose versions were
  /// raised.
  private static func align(
    _ stores: inout [LMDBStore?], of members: [GroupMemberOptions], model: ManagedObjectModel
  ) throws(StoreError) {
    let schemas = stores.compactMap { $0?.schema }
    // Stores with other numbers are refused.
    guard schemas.allSatisfy({ $0.numbers == schemas[0].numbers }) else { return }
    let alignment = LayoutAlignment(of: schemas)
    for (place, member) in members.enumerated() {
      guard let store = stores[place], !alignment.includes(store.schema) else { continue }
      if store.isReadOnly { throw .migrationRequired(path: member.path ?? member.name) }
      try alignment.raise(store)
      store.close()
      stores[place] = try member.open(model: model, removing: DataRemoval(), from: nil)
    }
  }
}

extension GroupMemberOptions {
  /// Whether there is anything to open.
  fileprivate func exists() throws(StoreError) -> Bool {
    guard let path else { return false }
    // A store that is opened read-only is not created: opening it throws the error.
    if isReadOnly { return true }
    return try StoreFile.kind(at: path) != .nothing
  }

  fileprivate func open(
    model: ManagedObjectModel, removing: DataRemoval, from origin: StoreOrigin?
  ) throws(StoreError) -> LMDBStore {
    guard let path else { return try LMDBStore.inMemory(model: model, from: origin) }
    return try LMDBStore.open(
      at: path, model: model, removing: removing, durability: durability,
      byteCountMax: byteCountMax, busyTimeout: busyTimeout, isReadOnly: isReadOnly,
      ignoresStamp: ignoresStamp, from: origin)
  }

  /// The numbers of the entities of the configuration.
  ///
  /// - Throws: `incompatibleStores` for a name that the model does not have.
  fileprivate func numbers(in schema: Schema) throws(StoreError) -> Set<EntityNumber>? {
    guard let entities else { return nil }
    for name in entities where !schema.entities.contains(where: { $0.description.name == name }) {
      throw .incompatibleStores(.unknownEntity(name, store: self.name))
    }
    let accepted = schema.entities.filter { entity in
      entity.description.lineage.contains { entities.contains($0.name) }
    }
    return Set(accepted.map(\.number))
  }
}

extension GroupMember {
  /// - Throws: `incompatibleStores` if the two are one store, or have objects of the same serials.
  fileprivate func requireDistinct(from other: GroupMember) throws(StoreError) {
    if store.uuid == other.store.uuid {
      throw .incompatibleStores(.sameStore(other.name, name))
    }
    if range == other.range { throw .incompatibleStores(.sameSerials(other.name, name)) }
  }

  /// - Throws: `incompatibleStores` if a record means something else in the other store.
  fileprivate func requireSameLayouts(as other: GroupMember) throws(StoreError) {
    let (schema, otherSchema) = (store.schema, other.store.schema)
    let haveSameLayouts = schema.entities.allSatisfy { entity in
      entity.layout.version == otherSchema.entity(entity.number)?.layout.version
    }
    guard schema.numbers == otherSchema.numbers, haveSameLayouts else {
      throw .incompatibleStores(.differentNumbers(other.name, name))
    }
  }
}
