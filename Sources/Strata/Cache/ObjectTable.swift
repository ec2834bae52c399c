// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// The objects of a cache by their keys: a hash table with open addressing and linear probing.
///
/// It exists because each object of a fetch and each hop along a relationship is a look-up: a
/// `Dictionary` takes several times as long for keys that hash in one multiplication, and needs an
/// array beside it for the clock hand to go round in.
///
/// Four keys in a row begin their search in one cache line, so that a walk in the order of the keys
/// comes to a new line with every fourth object only:
///
/// ```
///           ┌ 64 bytes ────────────────────────────────────┐
///  slots ─► │ key ● │ key ● │ key ● │ key ● │ …            │   place = hash(key / 4) · 4 + key mod 4
///           └──────────────────────────────────────────────┘
/// ```
///
/// ## Invariants
/// - I1 A key is in one slot at most; between the place where its search begins and that slot none is
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
  /// What leaves of a hash the number of a line.
  private var shift: UInt64
  /// How many objects there are.
  private(set) var count = 0

  private static let capacityMin = 16
  private static let lineByteCount = 64

  init() {
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
    UInt64(64 - (capacity / 4).trailingZeroBitCount)
  }

  // MARK: - Looking up

  /// How many places there are. Objects move between them when others come and go.
  var capacity: Int { mask + 1 }

  /// The place of the object with `key`, or nil.
  @inline(__always)
  func place(of key: ObjectKey) -> Int? {
    let key = key.rawValue
    var place = home(of: key)
    while true {
      let found = slots[place].key
      if found == key { return found == 0 ? nil : place }
      if found == 0 { return nil }
      place = (place &+ 1) & mask
    }
  }

  /// The object at a place, or nil if it is free.
  @inline(__always)
  subscript(place: Int) -> ManagedObject? { slots[place].object }

  /// Whether anybody but the table holds the object at a place.
  mutating func isHeld(at place: Int) -> Bool {
    !isKnownUniquelyReferenced(&slots[place].object)
  }

  /// All objects, in no particular order. O(capacity).
  var objects: [ManagedObject] {
    var objects: [ManagedObject] = []
    objects.reserveCapacity(count)
    for place in 0..<capacity { if let object = slots[place].object { objects.append(object) } }
    return objects
  }

  /// Where the search for a key begins.
  @inline(__always)
  private func home(of key: UInt64) -> Int {
    // Serials are counters: a multiplication spreads them evenly over the lines (Knuth, 6.4).
    let line = (key &>> 2 &* 0x9E37_79B9_7F4A_7C15) &>> shift
    return Int(truncatingIfNeeded: line &<< 2 | key & 3)
  }

  // MARK: - Changing

  /// Takes in an object whose key is not there yet.
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

  /// Lets go of the object at a place. Others may move, towards the place and never away from it.
  ///
  /// - Returns: the object: it is the caller's to let it go when all is whole.
  mutating func remove(at place: Int) -> ManagedObject? {
    guard let object = slots[place].object.take() else { return nil }
    slots[place].key = 0
    count -= 1
    var free = place
    var next = (place + 1) & mask
    while slots[next].key != 0 {
      // One whose search begins behind the free slot stays: it is found without going over that.
      let wanted = (next &- home(of: slots[next].key)) & mask
      if wanted >= (next &- free) & mask {
        (slots + free).moveUpdate(from: slots + next, count: 1)
        (slots + next).initialize(to: .free)
        free = next
      }
      next = (next + 1) & mask
    }
    return object
  }

  /// Puts a slot's content where a search for its key ends.
  @inline(__always)
  private func put(_ slot: consuming Slot) {
    var place = home(of: slot.key)
    while slots[place].key != 0 { place = (place &+ 1) & mask }
    // A free slot has nothing to let go of.
    (slots + place).initialize(to: slot)
  }

  @inline(never)
  private mutating func resize(for count: Int) {
    let (former, formerCapacity) = (slots, capacity)
    var capacity = formerCapacity
    while count * 4 > capacity * 3 { capacity *= 2 }
    slots = Self.makeSlots(capacity)
    mask = capacity - 1
    shift = Self.shift(capacity)
    for place in 0..<formerCapacity where former[place].key != 0 {
      put((former + place).move())
    }
    // What was not moved is free and has nothing to let go of.
    UnsafeMutableRawPointer(former).deallocate()
  }
}
