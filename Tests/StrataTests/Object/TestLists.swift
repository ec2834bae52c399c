// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataChanges
import StrataModel
import StrataStore
import Synchronization

// The ordered relationships of the geography, each kind behind one face.

extension ManagedObjectContext {
  func track(_ name: String) -> Track {
    let track = Track(context: self)
    track.name = name
    return track
  }
}

/// An ordered relationship whose members have names.
protocol TestList {
  associatedtype Member: ManagedObject
  init(in context: ManagedObjectContext)
  init(_ id: ObjectID, in context: ManagedObjectContext) throws
  var context: ManagedObjectContext { get }
  var owner: ManagedObject { get }
  var members: OrderedToMany<Member> { get }
  static var relationship: String { get }
  func make(_ name: String) -> Member
  func name(of member: Member) -> String
}

struct RouteList: TestList {
  let route: Route
  var owner: ManagedObject { route }
  var members: OrderedToMany<City> { route.stops }
  static var relationship: String { "stops" }

  let context: ManagedObjectContext

  init(in context: ManagedObjectContext) {
    self.context = context
    route = Route(context: context)
  }

  init(_ id: ObjectID, in context: ManagedObjectContext) throws {
    self.context = context
    route = try context.existingObject(Route.self, with: id)
  }

  func make(_ name: String) -> City { context.city(name) }
  func name(of member: City) -> String { member.name }
}

struct AlbumList: TestList {
  let album: Album
  var owner: ManagedObject { album }
  var members: OrderedToMany<Track> { album.tracks }
  static var relationship: String { "tracks" }

  let context: ManagedObjectContext

  init(in context: ManagedObjectContext) {
    self.context = context
    album = Album(context: context)
  }

  init(_ id: ObjectID, in context: ManagedObjectContext) throws {
    self.context = context
    album = try context.existingObject(Album.self, with: id)
  }

  func make(_ name: String) -> Track { context.track(name) }
  func name(of member: Track) -> String { member.name }
}

extension TestList {
  var names: [String] { members.map { name(of: $0) } }
  var objectIDs: [ObjectID] { members.objectIDs }
  var count: Int { members.count }

  func append(_ names: [String]) { members.append(contentsOf: names.map { make($0) }) }
  func insert(_ names: [String], at index: Int) {
    members.insert(contentsOf: names.map { make($0) }, at: index)
  }
  func insertMembers(_ sources: [Int], at index: Int) {
    members.insert(contentsOf: sources.map { members[$0] }, at: index)
  }
  func move(from source: Int, to destination: Int) {
    members.move(from: source, to: destination)
  }
  func move(fromOffsets sources: IndexSet, toOffset destination: Int) {
    members.move(fromOffsets: sources, toOffset: destination)
  }
  @discardableResult
  func remove(at index: Int) -> String { name(of: members.remove(at: index)) }
  func remove(_ index: Int) { members.remove(members[index]) }
  func removeAll() { members.removeAll() }
  func name(at index: Int) -> String { name(of: members[index]) }
  func index(of wanted: String) -> Int? {
    Array(members).first { name(of: $0) == wanted }.flatMap { members.firstIndex(of: $0) }
  }
  /// Replaces the members by those that are called so now.
  func replace(_ order: [Int]) {
    let all = Dictionary(uniqueKeysWithValues: members.map { (name(of: $0), $0) })
    members.replace(with: order.compactMap { all["\($0)"] })
  }
  func deleteMember(at index: Int) { context.delete(members[index]) }
  func deleteOwner() { context.delete(owner) }

  /// How many of the list's links the context has pending.
  var pendingCount: Int {
    context.processPendingChanges()
    let key = owner.objectID.key
    let number = context.layer.schema.entity(key.entity)?.relationships.compactMap { $0 }
      .first { $0.name == Self.relationship }?.number
    return number.map { context.layer.current.published.links(at: LinkPlace($0, key)).count } ?? 0
  }
}

/// A store that notes the writes of its saves.
final class CountingStore: PersistentStore {
  private let store: LMDBStore
  private let counts = Mutex<[WriteCount]>([])

  init(_ store: LMDBStore) { self.store = store }

  var last: WriteCount? { counts.withLock { $0.last } }

  func commit(
    _ changeSet: ChangeSet, lendingThread lendsThread: Bool,
    completion: @escaping @Sendable (Result<CommitResult, any Error>) -> Void
  ) {
    store.commit(changeSet, lendingThread: lendsThread) { [self] result in
      if case .success(let result) = result { counts.withLock { $0.append(result.writes) } }
      completion(result)
    }
  }

  func execute(
    _ batch: StoreBatch, lendingThread lendsThread: Bool,
    completion: @escaping @Sendable (Result<BatchOutcome, any Error>) -> Void
  ) {
    store.execute(batch, lendingThread: lendsThread, completion: completion)
  }

  func edit(
    _ edit: HistoryEdit, completion: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    store.edit(edit, completion: completion)
  }

  func setValue(
    _ value: Data?, forKey key: String,
    completion: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    store.setValue(value, forKey: key, completion: completion)
  }

  func metadata() throws -> StoredMetadata { try store.metadata() }

  func compact(_ watch: BatchWatch) throws -> CompactionOutcome { try store.compact(watch) }

  func oldestReader() throws -> StoredReader? { try store.oldestReader() }

  func backUp(to path: String, compacting: Bool, _ watch: BatchWatch) throws {
    try store.backUp(to: path, compacting: compacting, watch)
  }

  func historyStatus() throws -> HistoryStatus? { try store.historyStatus() }

  func historyToken(of generation: UInt64) -> HistoryToken {
    store.historyToken(of: generation)
  }

  func history(
    after token: HistoryToken?, countMax: Int, byteCountMax: Int
  ) throws -> [StoredHistoryTransaction] {
    try store.history(after: token, countMax: countMax, byteCountMax: byteCountMax)
  }

  var uuid: UUID { store.uuid }
  var isReadOnly: Bool { store.isReadOnly }
  var schema: Schema { store.schema }
  var feeds: [ChangeFeed] { store.feeds }
  func snapshot() throws -> any Snapshot { try store.snapshot() }
  func takeSerials(upTo countMax: Int) -> Range<UInt64> { store.takeSerials(upTo: countMax) }
  var lockStatistics: LockStatistics { store.lockStatistics }
  func close() { store.close() }
}
