// SPDX-License-Identifier: Apache-2.0
import CStrata
import StrataChanges
import StrataModel
import StrataRecord

/// The edits of a context since its changes were last encoded into its overlay: objects with
/// drafts, deletions, and links.
///
/// ## Lifetime
/// The drafts are freed with the edits: before that, `encode` or the code that reverts the edits
/// has removed each from its object.
///
/// ## Isolation
/// The context's.
struct PendingEdits: ~Copyable {
  /// Where drafts are encoded, and where those that are patches have their copies already.
  var arena = RecordArena()
  /// The memory of the drafts.
  var drafts = DraftArena()
  /// The objects that have a draft, each once.
  var drafted: [ManagedObject] = []
  /// The state of deleted objects at their deletion; nil for an object that the parent never saw.
  var deletions: [ObjectKey: Base?] = [:]
  /// New objects that were deleted before they were ever encoded: no other context has seen them.
  var vanished: Set<ObjectKey> = []
  /// Objects that were edited, or linked to, though others have changed them since they were read.
  var outdated: [ObjectKey] = []
  /// Links added and removed, in both directions.
  var links = LinkChanges()
  /// The highest key of a member that each ordered relationship is known to have, where members
  /// were linked from their own side.
  var lastLinked: [LinkPlace: ObjectKey] = [:]
  /// The entries of `links` that equal the state beneath the context's changes.
  private var placesAsBefore: [LinkPlace: Set<ObjectKey>] = [:]
  /// The values that drafts have refused, by slot.
  private(set) var refused: [ObjectKey: [Int: ValueRefusal]] = [:]
  /// The objects that existed before and whose drafts have no change: their values were
  /// refused, or taken back.
  private(set) var unchanged: [ManagedObject] = []
  /// The serials of the objects that are inserted next.
  var serials: Range<UInt64> = 0..<0

  var isEmpty: Bool { drafted.isEmpty && deletions.isEmpty && links.isEmpty }

  /// Notes whether the last edit of a link leaves it as it is beneath.
  mutating func note(isAsBefore: Bool, at place: LinkPlace, to target: ObjectKey) {
    if isAsBefore {
      placesAsBefore[place, default: []].insert(target)
    } else {
      placesAsBefore[place]?.remove(target)
    }
  }

  /// The links that came and went, or went and came back: they are not changes.
  var linksAsBefore: LinkChanges {
    var links = LinkChanges()
    for (place, targets) in placesAsBefore {
      for target in targets { links.set(.absent, at: place, to: target) }
    }
    return links
  }

  /// Encodes everything into a segment, and leaves each drafted object with its encoded record.
  mutating func encode(schema: Schema, cache: ObjectCache) -> Segment {
    var changes = ChangeTable.Builder(expecting: drafted.count + deletions.count)
    let drafted = drafted
    drafted.withUnsafeBytes { addresses in
      for index in drafted.indices {
        Self.prefetch(index + Self.prefetchCount, of: addresses)
        let object = drafted[index]
        guard let draft = object.draft.take() else { continue }
        encode(draft, of: object, into: &changes, cache)
      }
    }
    for (key, base) in deletions { changes.append(key, .delete(base: base)) }
    var links = links
    if !links.isEmpty, !deletions.isEmpty || !vanished.isEmpty {
      let isGone = { [vanished, deletions] key in
        vanished.contains(key) || deletions[key] != nil
      }
      links.filter { place, target, state in
        state == .absent || !isGone(place.owner) && !isGone(target)
      }
    }
    return Segment(changes: changes.finished(), links: links, schema: schema)
  }

  @inline(__always)
  private mutating func encode(
    _ draft: Draft, of object: ManagedObject, into changes: inout ChangeTable.Builder,
    _ cache: ObjectCache
  ) {
    let (changed, external) = (draft.changed, draft.external)
    if let refusals = draft.refused {
      refused[object.key] = refusals
      object.binding.hasRefusedValues = true
    }
    if changed.isEmpty, object.status == .updated {
      unchanged.append(object)
      return
    }
    var record = draft.encode(into: &arena)
    if object.status == .inserted {
      // The former state of a new object is never used.
      record = cache.setEncoded(record, changed: changed, of: object, arena: &arena)
      changes.append(
        object.key,
        .insert(
          record, slots: changed.union(object.binding.templateSlots), external: external))
    } else {
      let base = cache.base(of: object)
      if !cache.isCurrent(object) { outdated.append(object.key) }
      record = cache.setEncoded(record, changed: changed, of: object, arena: &arena)
      guard let base else { return }
      changes.append(
        object.key, .update(record, base: base, slots: changed, external: external))
    }
  }

  /// The number of objects to prefetch ahead: encoding that many takes about as long as one memory
  /// access.
  private static let prefetchCount = 6

  /// Prefetches the two cache lines of an object. Drafts are contiguous, and so are the records
  /// that are made from them, but malloc puts objects anywhere.
  ///
  /// - Parameter addresses: an array of objects as bytes. It does not use the objects themselves:
  ///   that would count references, and wait for the very memory that is to be prefetched.
  @inline(__always)
  private static func prefetch(_ index: Int, of addresses: UnsafeRawBufferPointer) {
    let offset = index * MemoryLayout<UnsafeRawPointer>.stride
    guard offset < addresses.count else { return }
    let address = addresses.load(fromByteOffset: offset, as: UnsafeRawPointer.self)
    strata_prefetch(address)
    strata_prefetch(address + 64)
  }

  /// Frees the encoded edits, and begins again.
  ///
  /// `edits = PendingEdits()` in `UnitOfWork` would leak the memory of the drafts: Swift 6.3.1 then
  /// leaves out the deinit of `drafts` in an optimised build. Soak finds it.
  mutating func removeAll() {
    var encoded = PendingEdits()
    swap(&self, &encoded)
  }

  /// Makes the drafts of a context that is being deallocated the values of their objects: an object
  /// that the program holds keeps the values that were set.
  mutating func close() {
    while var object = drafted.popLast() {
      if !isKnownUniquelyReferenced(&object), let draft = object.draft.take() {
        object.record = draft.encode(into: &arena)
      }
    }
  }
}
