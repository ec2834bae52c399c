// SPDX-License-Identifier: Apache-2.0
import StrataModel
package import StrataRecord

/// Lays newer changes over older ones: how a child's save becomes its parent's changes, and how
/// drafts become part of a context's own.
///
/// It never fails; the store alone checks versions.
///
/// | newer | on older | result |
/// | --- | --- | --- |
/// | update | update | per property, the newer wins |
/// | update | insert | still an insert |
/// | update | delete | dropped |
/// | delete | insert | both vanish |
/// | delete | delete | nothing |
/// | insert | delete | update |
/// | link with a deleted end | | dropped; its to-one slot becomes nil |
/// | one-to-one link | one that shares an end | the older is dropped: both slots of it become nil |
/// | delete | | its delete rules run again on members that only the older changes have |
///
/// What becomes nothing else is not touched: the result of laying new objects over whatever else is
/// pending is the newer segment itself, found by a look at where its keys lie.
package struct Composition {
  let schema: Schema
  let newer: Segment
  let older: Overlay
  /// What newer changes became, and what they do to older ones; nil for one that is dropped.
  var outcomes: [ObjectKey: Change?] = [:]
  var links: LinkChanges
  var arena = RecordArena()
  /// Whether anything of the newer changes became something else; if not, they are the result.
  var hasComposed = false
  /// Whether the newer changes or the older ones delete anything.
  private let hasDeletes: Bool

  /// What `newer` is on top of `older`: a segment whose changes are complete, to be put above it.
  package static func compose(_ newer: Segment, onto older: Overlay, schema: Schema) -> Segment {
    if older.isEmpty { return newer }
    var composition = Composition(newer, onto: older, schema: schema)
    composition.run()
    if !composition.hasComposed { return newer }
    let outcomes = composition.outcomes
    return Segment(
      changes: outcomes.isEmpty ? newer.changes : newer.changes.replacing(outcomes),
      links: composition.links, schema: schema)
  }

  private init(_ newer: Segment, onto older: Overlay, schema: Schema) {
    self.schema = schema
    self.newer = newer
    self.older = older
    links = newer.links
    hasDeletes =
      newer.changes.hasDeletes || older.segments.contains(where: \.changes.hasDeletes)
  }

  private mutating func run() {
    composeObjects()
    if newer.changes.hasDeletes, !PlantedFault.deletesStopShort.isPlanted(in: schema) {
      let deleted = newer.changes.keys.filter { change(of: $0)?.kind == .delete }
      for key in deleted { propagateDelete(of: key) }
    }
    for span in newer.changes.spans {
      guard let entity = schema.entity(span.entity) else { continue }
      let toOnes = entity.relationships.compactMap { $0 }.filter { $0.kind == .toOne }
      let partnered = toOnes.filter { $0.inverse?.kind == .toOne }
      guard hasDeletes && !toOnes.isEmpty || !partnered.isEmpty else { continue }
      for place in span.range {
        let key = newer.changes.keys[place]
        if hasDeletes { dropToOneLinksToDeleted(from: key, entity, toOnes) }
        if !partnered.isEmpty {
          dropRivals(ofLinksThat: newer.changes.values[place], setsIn: key, entity, partnered)
        }
      }
    }
    if hasDeletes, !links.isEmpty { dropLinksToDeleted() }
  }

  private mutating func composeObjects() {
    let touching = older.segments.filter { !$0.changes.isApart(from: newer.changes) }
    if touching.isEmpty { return }
    let under = Overlay(touching)
    for (key, change) in newer.changes {
      guard let below = under.change(for: key) else { continue }
      hasComposed = true
      let composed = compose(change, of: key, over: below)
      outcomes.updateValue(composed, forKey: key)
    }
  }

  private mutating func dropLinksToDeleted() {
    var kept = links
    kept.filter { place, target, state in
      let isKept = state == .absent || (!isDeleted(place.owner) && !isDeleted(target))
      if !isKept { hasComposed = true }
      return isKept
    }
    links = kept
  }

  /// What the newer changes make of an object; nil if nothing.
  func change(of key: ObjectKey) -> Change? {
    if !outcomes.isEmpty, let outcome = outcomes[key] { return outcome }
    return newer.change(for: key)
  }

  /// Whether the composed changes, or else the older ones, delete `key`.
  func isDeleted(_ key: ObjectKey) -> Bool {
    hasDeletes && (change(of: key) ?? older.change(for: key))?.kind == .delete
  }

  // MARK: - One object

  private mutating func compose(
    _ newer: Change, of key: ObjectKey, over under: Change
  ) -> Change? {
    switch (newer.kind, under.kind) {
    case (.update, .delete) where PlantedFault.updateRevives.isPlanted(in: schema): return newer
    case (.update, .delete), (.delete, .delete): return nil
    case (.delete, .insert), (.delete, .update): return .delete(base: under.base)
    case (.insert, .delete):
      guard let record = newer.record else { return nil }
      guard let base = under.base else { return newer }
      return .update(record, base: base, slots: newer.slots, external: newer.external)
    case (.update, _), (.insert, _): return update(newer, over: under, of: key)
    }
  }

  private mutating func update(
    _ newer: Change, over under: Change, of key: ObjectKey
  ) -> Change? {
    guard let record = newer.record, let below = under.record,
      let layout = schema.entity(key.entity)?.layout
    else { return under }
    var composed = under
    let isWhole = PlantedFault.wholeRecords.isPlanted(in: schema)
    if let seen = newer.base?.record, seen.isIdentical(to: below) || isWhole {
      composed.record = record
    } else {
      composed.record = layout.splice(
        base: below, changes: record, slots: newer.slots, into: &arena)
    }
    composed.slots.formUnion(newer.slots)
    let isDropped = PlantedFault.bytesDropped.isPlanted(in: schema)
    composed.external = newer.external.fitting(
      composed.record, layout, in: composed.slots,
      orElse: isDropped ? ExternalValues() : under.external)
    // Who changes what the receiver has pending goes back to the receiver's base. A worker that saves
    // again and again keeps its record, and does not hear when the root commits what lies under it:
    // the generation that it names may be long gone.
    if let ours = under.base, let theirs = newer.base, theirs.generation != ours.generation,
      theirs.record != below
    {
      let isOlder = theirs.generation < ours.generation
      if isOlder != PlantedFault.newestBase.isPlanted(in: schema) { composed.base = theirs }
    }
    return composed
  }

  // MARK: - Links to what the older changes deleted

  private mutating func dropToOneLinksToDeleted(
    from key: ObjectKey, _ entity: EntitySchema, _ toOnes: [RelationshipSchema]
  ) {
    guard let change = change(of: key), let record = change.record else { return }
    for relationship in toOnes where change.slots.contains(relationship.slot) {
      guard let target = record.toOne(at: relationship.slot, layout: entity.layout),
        isDeleted(target)
      else { continue }
      setToOneNil(relationship.slot, of: key)
    }
  }

  // MARK: - One-to-one links

  /// Drops the older one-to-one links that share an end with those that `newer` sets or takes away:
  /// the sender did not see them, or would have dropped them itself.
  private mutating func dropRivals(
    ofLinksThat newer: Change, setsIn key: ObjectKey, _ entity: EntitySchema,
    _ partnered: [RelationshipSchema]
  ) {
    for relationship in partnered {
      guard let inverse = relationship.inverse, newer.slots.contains(relationship.slot),
        let record = change(of: key)?.record
      else { continue }
      let target = record.toOne(at: relationship.slot, layout: entity.layout)
      for rival in members(linkedTo: key, inverse.number, slot: inverse.slot) where rival != target
      {
        setToOneNil(inverse.slot, of: rival)
      }
      guard let target else { continue }
      for rival in members(linkedTo: target, relationship.number, slot: relationship.slot)
      where rival != key {
        setToOneNil(relationship.slot, of: rival)
      }
    }
  }

  /// Makes the to-one slot of a pending object nil.
  mutating func setToOneNil(_ slot: Int, of key: ObjectKey) {
    guard var change = change(of: key) ?? older.change(for: key), let record = change.record,
      let layout = schema.entity(key.entity)?.layout
    else { return }
    let draft = Draft(layout: layout, base: record)
    draft.setToOne(nil, at: slot)
    hasComposed = true
    change.record = draft.encode(into: &arena)
    change.slots.insert(slot)
    outcomes.updateValue(change, forKey: key)
  }
}
