// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives
import Synchronization

/// The properties that the key paths of one entity read. Each fetch that names a property asks, on
/// any thread, and all stores of a process that have the entity share one.
///
/// A key path in a program's text is one object for the life of the process. Such objects are found
/// by address in a table that is read without a lock, because entries are only added. Key paths
/// that are made for each use are found by their contents, under a lock, which takes ten times as
/// long. Those that are declared are compared one by one, because most processes look for each only
/// once, and `OrderedTable` says what a dictionary would cost them.
///
/// ## Invariants
/// - I1 A table's entry never changes once its object is set, and the reads and the tables that
///   replaced ones are kept as long as this. So a thread that reads a table that was replaced in
///   between misses entries, and finds no wrong one.
/// - I2 The objects in the table are retained, so that no other object gets their address.
/// - I3 An answer that was found by contents stays: tables do not retain it. The first of several
///   threads that probe the same key path decides.
///
/// ## Isolation
/// Sendable: entries are added under the lock, and read through atomics.
final class KeyPathReads: Sendable {
  // Safety: key paths are immutable, and key paths of properties capture nothing.
  private struct Key: Hashable, @unchecked Sendable { let keyPath: AnyKeyPath }

  private struct Declared: Sendable {
    let key: Key
    let found: Found
  }

  /// The property that one key path reads.
  private final class Found: Sendable {
    let read: _PropertyRead

    init(_ read: _PropertyRead) { self.read = read }
  }

  private struct State {
    /// Those that are not declared.
    var byContents: [Key: Found] = [:]
    /// The key paths in the table.
    var objects: [Key] = []
    /// The table that is read now is the last.
    var tables: [Table] = []
  }

  /// Beyond this number, key path objects are not put into the table: they are made for each use.
  private static let objectCountMax = 256

  private let declared: [Declared]
  private let state: CountedMutex<State>
  private let table: Atomic<Unmanaged<Table>>

  /// - Parameter declared: the key paths of the properties, by slot.
  init(_ declared: [AnyKeyPath?]) {
    let first = Table(capacity: 16)
    self.declared = declared.enumerated().compactMap { slot, keyPath in
      keyPath.map { Declared(key: Key(keyPath: $0), found: Found(.slot(slot))) }
    }
    state = CountedMutex(State(tables: [first]))
    table = Atomic(Unmanaged.passUnretained(first))
  }

  /// The property that `keyPath` reads; nil if it reads neither a property nor the ID.
  ///
  /// - Parameter probe: finds that for a key path that was not asked for before. Called outside of
  ///   the lock: it runs initializers of the program.
  func read(
    by keyPath: AnyKeyPath, _ probe: ((AnyKeyPath) -> _PropertyRead?)?
  ) -> _PropertyRead? {
    // Acquiring: the table is initialized. `state` keeps it, and the entity that is asked keeps
    // `state`.
    let table = table.load(ordering: .acquiring)
    if let found = table._withUnsafeGuaranteedRef({ $0.find(ObjectIdentifier(keyPath)) }) {
      return found._withUnsafeGuaranteedRef { $0.read }
    }
    let key = Key(keyPath: keyPath)
    if let found = state.withLock({ note(key, in: &$0) }) { return found.read }
    guard let read = probe?(keyPath) else { return nil }
    return state.withLock { state in
      // Another thread may have probed at the same time, and the table may have its answer.
      if state.byContents[key] == nil { state.byContents[key] = Found(read) }
      return note(key, in: &state)?.read ?? read
    }
  }

  /// Puts a known key path into the table, if there is room. Under the lock.
  private func note(_ key: Key, in state: inout State) -> Found? {
    let declared = declared.first { $0.key == key }
    guard let found = declared?.found ?? state.byContents[key], let last = state.tables.last else {
      return nil
    }
    let object = ObjectIdentifier(key.keyPath)
    guard state.objects.count < Self.objectCountMax, last.find(object) == nil else { return found }
    state.objects.append(key)
    if last.isHalfFull {
      let next = Table(capacity: last.capacity * 2, with: last)
      next.add(object, found)
      state.tables.append(next)
      // Releasing: with the table, its entries are visible.
      table.store(Unmanaged.passUnretained(next), ordering: .releasing)
    } else {
      last.add(object, found)
    }
    return found
  }

  /// How often and how long threads have waited for the lock.
  var waits: LockWaits { state.waits }

  /// Entries by the addresses of objects, at the place of the address's hash or after it.
  // Safety: an entry's object is atomic; its `found` is written once, before the object is stored.
  private final class Table: @unchecked Sendable {
    private struct Entry: ~Copyable {
      /// The object's address; 0 for an empty entry.
      let object = Atomic<UInt>(0)
      var found: Unmanaged<Found>?
    }

    /// A power of two.
    let capacity: Int
    private let entries: UnsafeMutablePointer<Entry>
    private var count = 0

    init(capacity: Int) {
      self.capacity = capacity
      entries = .allocate(capacity: capacity)
      for place in 0..<capacity { (entries + place).initialize(to: Entry()) }
    }

    convenience init(capacity: Int, with other: Table) {
      self.init(capacity: capacity)
      for place in 0..<other.capacity {
        let object = other.entries[place].object.load(ordering: .relaxed)
        if object != 0, let found = other.entries[place].found { add(object, found) }
      }
    }

    deinit {
      entries.deinitialize(count: capacity)
      entries.deallocate()
    }

    /// Whether another entry would make searches long.
    var isHalfFull: Bool { count * 2 >= capacity }

    private func place(of object: UInt) -> Int {
      // Fibonacci hashing: the upper bits depend on all others.
      Int(truncatingIfNeeded: (object &* 0x9E37_79B9_7F4A_7C15) >> 32) & (capacity - 1)
    }

    func find(_ object: ObjectIdentifier) -> Unmanaged<Found>? {
      let object = UInt(bitPattern: object)
      var place = place(of: object)
      while true {
        // Acquiring: with the object, `found` is visible.
        let present = entries[place].object.load(ordering: .acquiring)
        if present == object { return entries[place].found }
        if present == 0 { return nil }
        place = (place + 1) & (capacity - 1)
      }
    }

    /// Adds an entry for an object that has none. Under the lock, or before others know the table.
    func add(_ object: ObjectIdentifier, _ found: Found) {
      add(UInt(bitPattern: object), Unmanaged.passUnretained(found))
    }

    private func add(_ object: UInt, _ found: Unmanaged<Found>) {
      var place = place(of: object)
      while entries[place].object.load(ordering: .relaxed) != 0 {
        place = (place + 1) & (capacity - 1)
      }
      entries[place].found = found
      entries[place].object.store(object, ordering: .releasing)
      count += 1
    }
  }
}
