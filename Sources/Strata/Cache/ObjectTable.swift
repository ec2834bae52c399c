// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// The objects of a cache by their keys: a hash table with open addressing.
///
/// It exists because each object of a fetch and each hop along a relationship is a look-up: a
/// `Dictionary` takes several times as long for keys that hash in one multiplication, and needs an
/// array beside it for the clock hand to go round in.
///
/// Sixteen keys in a row begin their search in sixteen slots in a row, four cache lines, so that a
/// walk in the order of the keys comes to memory that the processor does not expect with every
/// sixteenth object only:
///
/// ```
///           ┌ 256 bytes ───────────────────────────────────┐
///  slots ─► │ key ● │ key ● │ key ● │ … │ key ● │ …         │
///           └──────────────────────────────────────────────┘
///  index = hash(key / 16) · 16 + key mod 16
/// ```
///
/// Serials are counters, so most blocks are full or free. A search goes on in the next block, 17
/// slots further, instead of through a full one; as 17 is odd, it comes to every slot in the end.
///
/// ## Invariants
/// - I1 A key is in one slot at most; none of the slots that a search for it comes to before is
///   free. A free slot has key 0, which no object has, and no object.
/// - I2 At most three quarters of the slots are in use, so that every search ends.
///
/// ## Isolation
/// The cache's.
struct ObjectTable: ~Copyable {
  private struct Slot {
    var key: UInt64
    var object: ManagedObject?

    static var free: Slot { Slot(key: 0, object: nil) }
  }

  private var slots: UnsafeMutablePointer<Slot>
  /// One less than the number of slots, which is a power of two.
  private var mask: Int
  /// The shift of a hash that leaves the number of a block.
  private var shift: UInt64
  /// How many objects there are.
  private(set) var count = 0
  private var removalCount = 0
  /// How many objects have ever been inserted, here and in the tables that this one replaces.
  var insertionCount: Int { count + removalCount }

  private static let capacityMin = 16
  private static let lineByteCount = 64
  /// How many slots further a search goes on.
  private static var step: Int { 17 }
  /// The inverse of `step`: their product is 1.
  private static var inverseOfStep: Int { Int(bitPattern: 0xF0F0_F0F0_F0F0_F0F1) }

  /// - Parameter insertionCount: how many objects the tables had that this one replaces.
  init(insertionCount: Int = 0) {
    removalCount = insertionCount
    slots = Self.makeSlots(Self.capacityMin)
    mask = Self.capacityMin - 1
    shift = Self.shift(Self.capacityMin)
  }

  deinit {
    slots.deinitialize(count: capacity)
    UnsafeMutableRawPointer(slots).deallocate()
  }

  private static func makeSlots(_ capacity: Int) -> UnsafeMutablePointer<Slot> {
    let bytes = UnsafeMutableRawPointer.allocate(
      byteCount: capacity * MemoryLayout<Slot>.stride, alignment: lineByteCount)
    return bytes.initializeMemory(as: Slot.self, repeating: .free, count: capacity)
  }

  private static func shift(_ capacity: Int) -> UInt64 {
    UInt64(64 - (capacity / 16).trailingZeroBitCount)
  }

  // MARK: - Looking up

  /// How many slots there are. Objects move between them when others come and go.
  var capacity: Int { mask + 1 }

  /// The index of the slot that has the object with `key`, or nil.
  @inline(__always)
  func index(of key: ObjectKey) -> Int? {
    let key = key.rawValue
    var index = home(of: key)
    while true {
      let found = slots[index].key
      if found == key { return found == 0 ? nil : index }
      if found == 0 { return nil }
      index = (index &+ Self.step) & mask
    }
  }

  /// The object in the slot at an index, or nil if the slot is free.
  @inline(__always)
  subscript(index: Int) -> ManagedObject? { slots[index].object }

  /// Whether the object in the slot at an index has a reference besides the table's.
  mutating func isHeld(at index: Int) -> Bool {
    !isKnownUniquelyReferenced(&slots[index].object)
  }

  /// All objects, in no particular order. O(capacity).
  var objects: [ManagedObject] { (0..<capacity).compactMap { slots[$0].object } }

  /// The keys of all objects, in no particular order. O(capacity).
  var keys: [ObjectKey] {
    (0..<capacity).compactMap { slots[$0].key == 0 ? nil : ObjectKey(rawValue: slots[$0].key) }
  }

  /// Where the search for a key begins.
  @inline(__always)
  private func home(of key: UInt64) -> Int {
    // A multiplication spreads counters evenly over the blocks (Knuth, 6.4). There may be only one.
    let block = (key &>> 4 &* 0x9E37_79B9_7F4A_7C15) >> shift
    return Int(truncatingIfNeeded: block &<< 4 | key & 15)
  }

  // MARK: - Changing

  /// Adds an object whose key is not in the table.
  @inline(__always)
  mutating func insert(_ object: ManagedObject) {
    if (count &+ 1) &* 4 > capacity &* 3 { resize(for: count + 1) }
    put(Slot(key: object.key.rawValue, object: object))
    count &+= 1
  }

  /// Has room for `count` objects without moving those that are there.
  mutating func reserve(_ count: Int) {
    if count * 4 > capacity * 3 { resize(for: count) }
  }

  /// Removes the object from the slot at an index. Others may move.
  ///
  /// - Returns: the object: the caller releases it after the table is consistent.
  mutating func remove(at index: Int) -> ManagedObject? {
    guard let object = slots[index].object.take() else { return nil }
    slots[index].key = 0
    count -= 1
    removalCount += 1
    var free = index
    var next = (index &+ Self.step) & mask
    while slots[next].key != 0 {
      // An object whose search begins behind the free slot stays: the search does not cross that
      // slot.
      if stepCount(from: home(of: slots[next].key), to: next) >= stepCount(from: free, to: next) {
        (slots + free).moveUpdate(from: slots + next, count: 1)
        (slots + next).initialize(to: .free)
        free = next
      }
      next = (next &+ Self.step) & mask
    }
    return object
  }

  /// After how many steps a search that begins at one slot comes to another.
  private func stepCount(from start: Int, to end: Int) -> Int {
    (end &- start) &* Self.inverseOfStep & mask
  }

  /// Puts a slot's content where a search for its key ends.
  @inline(__always)
  private func put(_ slot: consuming Slot) {
    var index = home(of: slot.key)
    while slots[index].key != 0 { index = (index &+ Self.step) & mask }
    // A free slot has nothing to release.
    (slots + index).initialize(to: slot)
  }

  @inline(never)
  private mutating func resize(for count: Int) {
    let (former, formerCapacity) = (slots, capacity)
    var capacity = formerCapacity
    while count * 4 > capacity * 3 { capacity *= 2 }
    slots = Self.makeSlots(capacity)
    mask = capacity - 1
    shift = Self.shift(capacity)
    for index in 0..<formerCapacity where former[index].key != 0 {
      put((former + index).move())
    }
    // The remaining memory is free and has nothing to release.
    UnsafeMutableRawPointer(former).deallocate()
  }
}
