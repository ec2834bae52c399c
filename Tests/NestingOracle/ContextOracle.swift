// SPDX-License-Identifier: Apache-2.0

/// The promises to users of contexts in contexts: the oracle of the nesting test.
///
/// It is written from the documents alone and independent of the engine: no records, generations,
/// segments or marks. A context is a table of object to edit, and an edit is the properties that
/// were set, with their values. A step is one turn.
///
/// ## Invariants
/// - I1. `edits` of a context are its unsaved changes; `frozen` those of a save under way.
/// - I2. `held` has the objects that the program holds in a context and has not changed there: such
///   an object keeps its values. Other objects are read at each use.
///
/// ## Isolation
/// A value; belongs to the thread that runs a sequence.
package struct ContextOracle {
  /// How many objects there can be.
  package static let keyCount = 6

  package enum Kind: Sendable { case insert, update, delete }

  /// One thing that the makers of an edit had read.
  struct Reading {
    /// The version of the store's state beneath; 0 if the object was in no store.
    var version: Int
    /// That state.
    var was: Values?
    /// The unsaved states above it, up to the one that was shown.
    var above: [Values]

    func isIncluding(_ values: Values) -> Bool {
      was?.isSame(as: values) == true || above.contains { $0.isSame(as: values) }
    }
  }

  /// A context's state of an object, and the readings behind it.
  struct VisibleState {
    var values: Values
    var reads: [Reading]
    /// The readings of the setters of single properties, if they differ.
    var setters: [Slot: [Reading]] = [:]
    /// Whether a held object has nothing of this: it reads when it is next asked.
    var isFault = false
  }

  /// A context's unsaved change of one object.
  struct Edit {
    var kind: Kind
    var set: Delta
    /// The values of the object; nil for a deletion.
    var shown: Values?
    var reads: [Reading]
    /// The readings of the setters of single properties, if they differ.
    var setters: [Slot: [Reading]] = [:]
    /// The state beneath when the edit was made, or refreshed.
    var on: Values?
    /// The stored state on which an edit of an object rests that the store has lost.
    var lostOn: Values?
    /// Whether a child has saved it over the state beneath, which is then already known.
    var wasPushed = false

    /// The readings of a context that shows this edit.
    var visible: VisibleState? {
      guard let shown else { return nil }
      guard !reads.isEmpty else {
        return VisibleState(values: shown, reads: [Reading(version: 0, was: nil, above: [shown])])
      }
      func over(_ reading: Reading) -> Reading {
        Reading(version: reading.version, was: reading.was, above: reading.above + [shown])
      }
      return VisibleState(
        values: shown, reads: reads.map(over), setters: setters.mapValues { $0.map(over) })
    }

    /// Whether its one maker had read another version of the state with the same values. If several
    /// have made it, or if it was laid over a newer state, each keeps its readings.
    func isOutdated(by visible: VisibleState?) -> Bool {
      func one(_ reads: [Reading], _ setters: [Slot: [Reading]], _ values: Values?) -> Int? {
        guard setters.isEmpty, reads.count == 1, let reading = reads.first,
          (reading.was.map { [$0] } ?? []) + reading.above == [values]
        else { return nil }
        return reading.version
      }
      guard let own = one(reads, setters, on), let visible else { return false }
      return one(visible.reads, visible.setters, visible.values) != own
    }

    /// The reading of the setter of a property.
    func reads(of slot: Slot) -> [Reading] { setters[slot] ?? reads }

    /// Whether the maker had read this unsaved state last.
    func isMade(from own: Edit) -> Bool {
      guard let shown = own.shown else { return false }
      return reads.contains { $0.above.last == shown }
    }

    /// This edit with the properties that `newer` sets, each with its setter's reading, unless that
    /// was this edit.
    func taking(_ newer: Edit) -> Edit {
      if reads.isEmpty { return self }
      var result = self
      for slot in Slot.allCases where newer.set.slots.contains(slot) {
        let others = newer.reads(of: slot)
        if let shown, others.contains(where: { $0.above.last == shown }) { continue }
        result.setters[slot] = others
      }
      return result
    }
  }

  /// A save of an ancestor, and the store's state of each object then.
  struct Settled {
    var place: Place
    var saved: [Edit?]
    var store: [Stored?]
    /// The store's version before. Descendants are not notified of older states: the save has
    /// changed nothing of them.
    var former: Int
  }

  struct Stored {
    var version: Int
    var values: Values

    var reading: Reading { Reading(version: version, was: values, above: []) }
    var visible: VisibleState { VisibleState(values: values, reads: [reading]) }
  }

  /// The whole state beneath a pinned context, at the time of the pin.
  final class Pin: Sendable {
    let oracle: ContextOracle
    init(_ oracle: ContextOracle) { self.oracle = oracle }
  }

  var version = 1
  /// The contexts that merge automatically.
  package var automatic: Set<Place> = []
  /// The policies of contexts whose saves to their parents are checked. In the others, and under
  /// the policy object, the later value wins.
  package var checked: [Place: Policy] = [:]
  /// The objects that were ever made.
  var used: Set<Int> = [0]
  var store: [Stored?]
  var edits: [[Edit?]]
  var frozen: [[Edit?]]
  var held: [[VisibleState?]]
  /// The links of many to many.
  var storedLinks = LinkSet()
  var linkEdits = Array(repeating: LinkEdits(), count: Place.allCases.count)
  var frozenLinks = Array(repeating: LinkEdits(), count: Place.allCases.count)
  /// The contexts in which a member of a list was moved.
  var moves: Set<Place> = []
  /// Of the contexts that have an undo manager.
  var undoStacks: [UndoStacks?] = Array(repeating: nil, count: Place.allCases.count)
  /// Objects that were new in a context and deleted there: until it saves they are hidden, whatever
  /// others have made of them.
  var vanished: [Set<Int>] = Array(repeating: [], count: Place.allCases.count)
  /// The save to the store that is under way.
  var saving: Saving?
  /// The saves of ancestors that a context has not heard of, because of a pin.
  var missed: [(Place, Settled)] = []
  /// The place of the last operation, if it has deleted objects, and the values that these showed
  /// before.
  private(set) var deleted: (place: Place, values: [Int: Values])?
  /// The state that a pinned context rests on.
  var pins: [Pin?] = Array(repeating: nil, count: Place.allCases.count)

  /// The store has the first object.
  package init() {
    let none = [[Edit?]](
      repeating: Array(repeating: nil, count: Self.keyCount), count: Place.allCases.count)
    (edits, frozen) = (none, none)
    held = Array(
      repeating: Array(repeating: nil, count: Self.keyCount), count: Place.allCases.count)
    store = Array(repeating: nil, count: Self.keyCount)
    store[0] = Stored(version: 1, values: Values.new.derived)
  }

  static var keys: Range<Int> { 0..<keyCount }

  /// Notes the objects that an operation has deleted in its own context.
  mutating func noteDeletions(of operation: Operation, since before: ContextOracle) {
    deleted = nil
    guard [.delete, .undo, .redo].contains(operation.name), !operation.isTakenBack else { return }
    let place = operation.place
    var values: [Int: Values] = [:]
    for key in Self.keys
    where unsaved(place, key) == .delete && before.unsaved(place, key) != .delete {
      values[key] = before.shows(place, key)
    }
    deleted = (place, values)
  }

  // MARK: - Reading

  /// The state that a context without held objects shows in this place: the nearest unsaved state
  /// of an object is complete; without one, the store's.
  func look(_ place: Place, _ key: Int) -> VisibleState? {
    if let edit = edits[place.rawValue][key] { return edit.visible }
    if vanished[place.rawValue].contains(key) { return nil }
    return beneath(place, key)
  }

  /// The state beneath the context's own newest edit.
  func beneath(_ place: Place, _ key: Int) -> VisibleState? {
    if let edit = frozen[place.rawValue][key] { return edit.visible }
    return inherited(place, key)
  }

  /// The state beneath all unsaved changes of the context.
  func inherited(_ place: Place, _ key: Int) -> VisibleState? {
    if let pin = pins[place.rawValue] { return pin.oracle.under(place, key) }
    return under(place, key)
  }

  /// The parent's state of the object.
  private func under(_ place: Place, _ key: Int) -> VisibleState? {
    guard let parent = place.parent else { return store[key]?.visible }
    return look(parent, key)
  }

  /// Whether an unsaved deletion hides the object.
  package func isDeletedAboveStore(_ place: Place, _ key: Int) -> Bool {
    if let edit = edits[place.rawValue][key] ?? frozen[place.rawValue][key] {
      return edit.kind == .delete
    }
    guard let parent = place.parent else { return false }
    return (pins[place.rawValue]?.oracle ?? self).isDeletedAboveStore(parent, key)
  }

  /// The context's state of an object: unsaved, held, or read now.
  func given(_ place: Place, _ key: Int) -> VisibleState? {
    if hasUnsaved(place, key) { return look(place, key) }
    if let visible = held[place.rawValue][key], !visible.isFault { return visible }
    return look(place, key)
  }

  package func hasUnsaved(_ place: Place, _ key: Int) -> Bool {
    edits[place.rawValue][key] != nil || frozen[place.rawValue][key] != nil
  }

  func shows(_ place: Place, _ key: Int) -> Values? { given(place, key)?.values }

  // MARK: - Editing

  mutating func put(_ place: Place, _ key: Int, _ slot: Slot, _ value: Int) {
    guard let visible = given(place, key), visible.values[slot] != value else { return }
    var edit =
      edits[place.rawValue][key]
      ?? Edit(
        kind: .update, set: .none, shown: visible.values, reads: visible.reads,
        setters: visible.setters, on: visible.values)
    edit.set.set(slot, value)
    edit.shown?[slot] = value
    edits[place.rawValue][key] = edit
  }

  /// Takes a link away that the context has, whatever a held object shows.
  private mutating func cut(_ place: Place, _ key: Int, _ slot: Slot) {
    if shows(place, key)?[slot] == 0 { put(place, key, slot, key + 1) }
    put(place, key, slot, 0)
  }

  mutating func set(_ place: Place, _ key: Int, _ slot: Slot, _ value: Int) {
    // A setter reads, also if the value is the same.
    if held[place.rawValue][key]?.isFault == true { renew(place, key) }
    if slot.isPair {
      pair(place, key, slot, value)
    } else {
      put(place, key, slot, value)
    }
  }

  /// A one-to-one link takes both its ends away from others: from those to which the context shows
  /// them linked, and from those that others have given them since.
  private mutating func pair(_ place: Place, _ key: Int, _ slot: Slot, _ value: Int) {
    // An equal value is no change.
    guard shows(place, key)?[slot] != value else { return }
    var ends = [(key, slot)]
    ends += separate(place, key, slot, butFrom: value - 1)
    if value != 0 {
      let target = value - 1
      ends += separate(place, target, slot.inverse, butFrom: key) + [(target, slot.inverse)]
      let hasElsewhere = inherited(place, target).map { $0.values[slot.inverse] != key + 1 } ?? true
      if shows(place, target)?[slot.inverse] == key + 1, hasElsewhere {
        put(place, target, slot.inverse, 0)
      }
      put(place, target, slot.inverse, key + 1)
    }
    put(place, key, slot, value)
    for (end, slot) in ends { dropRivals(place, end, slot) }
  }

  /// Of one-to-one links at one end the newer stays: others that are unsaved here give way.
  private mutating func dropRivals(_ place: Place, _ key: Int, _ slot: Slot) {
    let partner = shows(place, key)?.target(slot)
    for other in Self.keys where other != partner && hasUnsaved(place, other) {
      guard changedSlots(place, other).contains(slot.inverse),
        look(place, other)?.values.target(slot.inverse) == key
      else { continue }
      put(place, other, slot.inverse, 0)
    }
  }

  private mutating func separate(
    _ place: Place, _ key: Int, _ slot: Slot, butFrom partner: Int
  ) -> [(Int, Slot)] {
    var ends: [(Int, Slot)] = []
    for seen in [shows(place, key), inherited(place, key)?.values] {
      guard let other = seen?.target(slot), other != partner,
        shows(place, other)?[slot.inverse] == key + 1
      else { continue }
      put(place, other, slot.inverse, 0)
      ends.append((other, slot.inverse))
    }
    return ends
  }

  mutating func insert(_ place: Place, _ key: Int) {
    vanished[place.rawValue].remove(key)
    if var edit = edits[place.rawValue][key] {
      (edit.kind, edit.set, edit.shown) = (.update, .all, .new)
      edits[place.rawValue][key] = edit
    } else {
      edits[place.rawValue][key] = Edit(
        kind: .insert, set: .all, shown: .new, reads: [], on: nil)
    }
  }

  mutating func delete(_ place: Place, _ key: Int) {
    let parts = Self.keys.filter { $0 != key && look(place, $0)?.values.target(.whole) == key }
    // All that the context shows, before the first of them is cut.
    var linked: [(Int, Slot)] = []
    for slot in Slot.pairs {
      for seen in [shows(place, key), inherited(place, key)?.values] {
        guard let partner = seen?.target(slot.inverse),
          look(place, partner)?.values[slot] == key + 1
        else { continue }
        linked.append((partner, slot))
      }
    }
    let ends = linked
    for other in Self.keys where other != key {
      for slot in [Slot.owner] where look(place, other)?.values[slot] == key + 1 {
        linked.append((other, slot))
      }
    }
    for (other, slot) in linked { cut(place, other, slot) }
    // And unsaved links of others that lead there.
    for other in Self.keys where other != key && hasUnsaved(place, other) {
      for slot in Slot.pairs
      where changedSlots(place, other).contains(slot)
        && look(place, other)?.values[slot] == key + 1
      {
        cut(place, other, slot)
      }
    }
    for (end, slot) in ends { dropRivals(place, end, slot) }
    if edits[place.rawValue][key]?.kind == .insert {
      linkEdits[place.rawValue].remove(key)
    } else {
      unlinkShown(place, key)
    }
    if let edit = edits[place.rawValue][key] {
      markDeleted(place, key, edit)
    } else if let visible = given(place, key) {
      edits[place.rawValue][key] = Edit(
        kind: .delete, set: .none, shown: nil, reads: visible.reads, setters: visible.setters,
        on: visible.values)
    }
    held[place.rawValue][key] = nil
    for part in parts where look(place, part) != nil { delete(place, part) }
  }

  // MARK: - Holding, bringing up to date, taking back

  mutating func hold(_ place: Place, _ key: Int) {
    held[place.rawValue][key] = given(place, key)
  }

  mutating func release(_ place: Place, _ key: Int) { held[place.rawValue][key] = nil }

  /// A held object takes the present state.
  mutating func renew(_ place: Place, _ key: Int) {
    if held[place.rawValue][key] != nil { held[place.rawValue][key] = look(place, key) }
  }

  /// A held object reads when it is next asked.
  mutating func makeFault(_ place: Place, _ key: Int) {
    held[place.rawValue][key]?.isFault = true
  }

  /// All objects that the program holds are asked.
  package mutating func readFaults() {
    for place in Place.allCases { readFaults(place) }
  }

  mutating func readFaults(_ place: Place) {
    for key in Self.keys where held[place.rawValue][key]?.isFault == true { renew(place, key) }
  }

  /// `refresh(_:mergeChanges: false)`: its links go with its edits.
  mutating func revert(_ place: Place, _ key: Int) {
    edits[place.rawValue][key] = nil
    linkEdits[place.rawValue].remove(key)
    renew(place, key)
  }

  /// A held object without an edit keeps its values, except in a refresh or a merge.
  mutating func rollback(_ place: Place) {
    let edited = Self.keys.filter { edits[place.rawValue][$0] != nil }
    for key in edited { edits[place.rawValue][key] = nil }
    for key in edited { makeFault(place, key) }
    linkEdits[place.rawValue] = LinkEdits()
    vanished[place.rawValue] = []
    moves.remove(place)
  }

  mutating func reset(_ place: Place) {
    rollback(place)
    for key in Self.keys { held[place.rawValue][key] = nil }
  }

  mutating func pin(_ place: Place) {
    pins[place.rawValue] = nil
    pins[place.rawValue] = Pin(self)
  }

  /// `refresh(_:mergeChanges: true)`.
  mutating func refresh(_ place: Place, _ key: Int) {
    if var edit = edits[place.rawValue][key], edit.kind != .insert {
      if let under = beneath(place, key) {
        edit.shown = edit.kind == .delete ? nil : edit.set.over(under.values)
        (edit.reads, edit.setters, edit.on) = (under.reads, under.setters, under.values)
        edit.wasPushed = false
        edits[place.rawValue][key] = edit
      } else {
        edits[place.rawValue][key] = nil
      }
    }
    renew(place, key)
    dropLinks(place, to: key)
  }

  /// Unsaved links to a missing object are dropped when it is found missing.
  private mutating func dropLinks(_ place: Place, to key: Int) {
    guard look(place, key) == nil, !hasUnsaved(place, key) else { return }
    linkEdits[place.rawValue].remove(key)
    let own = edits[place.rawValue]
    reachUnsaved(place, from: key) { edit, slot, other in
      own[other] != nil && edit.set.slots.contains(slot)
    }
  }

  /// The delete rules of an object, on unsaved changes of a context.
  mutating func reachUnsaved(
    _ place: Place, from key: Int, where isReached: (_ edit: Edit, _ slot: Slot, _ key: Int) -> Bool
  ) {
    for other in Self.keys where other != key {
      for slot in Slot.links {
        guard let edit = edits[place.rawValue][other] ?? frozen[place.rawValue][other],
          edit.shown?.target(slot) == key, isReached(edit, slot, other)
        else { continue }
        if slot == .whole {
          erase(place, other)
          reachUnsaved(place, from: other, where: isReached)
          break
        }
        put(place, other, slot, 0)
      }
    }
  }

  /// Makes a deletion of an unsaved change. A new object leaves none.
  private mutating func markDeleted(_ place: Place, _ key: Int, _ edit: Edit) {
    if edit.kind == .insert {
      vanished[place.rawValue].insert(key)
      edits[place.rawValue][key] = nil
    } else {
      edits[place.rawValue][key] = Edit(
        kind: .delete, set: .none, shown: nil, reads: edit.reads, setters: edit.setters,
        on: edit.on)
    }
  }

  private mutating func erase(_ place: Place, _ key: Int) {
    unlink(place, key)
    guard let edit = edits[place.rawValue][key] else {
      guard let visible = frozen[place.rawValue][key]?.visible else { return }
      edits[place.rawValue][key] = Edit(
        kind: .delete, set: .none, shown: nil, reads: visible.reads, setters: visible.setters,
        on: visible.values)
      return
    }
    markDeleted(place, key, edit)
    held[place.rawValue][key] = nil
  }

  /// A merge: edits over a changed state are refreshed, and held objects too.
  ///
  /// - Parameter isAutomatic: whether there was one after each step so far. Then an edit that a
  ///   child saves has not been changed by others since, whatever the child had read.
  mutating func merge(_ place: Place, isAutomatic: Bool = false) {
    for key in Self.keys {
      let under = beneath(place, key)?.values
      if let edit = edits[place.rawValue][key], edit.on == under, under != nil,
        isAutomatic && edit.wasPushed || !edit.isOutdated(by: beneath(place, key))
      {
        continue
      }
      refresh(place, key)
    }
    for key in Self.keys { dropLinks(place, to: key) }
    dropLinks(place)
  }
}
