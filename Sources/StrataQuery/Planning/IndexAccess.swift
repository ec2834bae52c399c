// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataRecord

/// A range of an index of one part or several: what the terms of an "and" leave of it.
///
/// Of a compound index, the parts are used from the first: as long as a part has single values, each
/// with what follows is a stretch of its own; a range or a prefix is the last part that counts.
///
/// ```
///  (country, name, population)
///  country == DE, name BEGINSWITH "B"  →  one stretch, within DE
///  country IN (DE, FR), population > 5 →  two stretches; the population is asked of each object
/// ```
///
/// ## Invariants
/// - I1 Every object that satisfies the terms has its entry in `range`.
/// - I2 An object whose entry is in `range`, and of which its certainty holds, satisfies the terms that
///   are `answered`.
///
/// A class, because a plan hands it on from place to place, and all of it is constant.
final class IndexAccess: Sendable {
  let index: IndexSchema
  /// The entity that the plan is about.
  let entity: EntitySchema
  let range: IndexRange
  /// What bounds each of the parts that are used.
  let widths: [Width]
  /// The bytes that all entries begin with: the leading parts that have one value.
  let fixed: [UInt8]
  let fixedPartCount: Int
  let answered: TermSet
  /// Whether at most one object can have the value: the index is unique, and no part is without a value,
  /// which any number of objects may be.
  let isOneObject: Bool

  private init(
    _ index: IndexSchema, of entity: EntitySchema, _ parts: PartWalk, _ range: IndexRange,
    answered: TermSet
  ) {
    self.index = index
    self.entity = entity
    self.range = range
    self.answered = answered
    widths = parts.widths
    fixed = parts.fixed
    fixedPartCount = parts.fixedPartCount
    isOneObject =
      index.isUnique && parts.fixedPartCount == index.partCount && !parts.fixesAnAbsentPart
  }

  /// The whole index.
  convenience init(whole index: IndexSchema, of entity: EntitySchema) {
    self.init(
      index, of: entity, PartWalk(), IndexRange([KeyRange()]), answered: TermSet())
  }

  /// What `slots` leave of the index; nil if nothing is said of its first part.
  convenience init?(_ index: IndexSchema, of entity: EntitySchema, _ slots: SlotTerms) {
    guard let first = slots[index.slot] else { return nil }
    var parts = PartWalk()
    guard index.isCompound else {
      // As it is: what a fetch by one value needs is made fast.
      parts.fix(first.range, index.kind)
      parts.widths.append(first.range.width)
      self.init(index, of: entity, parts, first.range, answered: first.answered)
      return
    }
    for part in index.parts {
      guard let joined = slots[part.slot], parts.goOn(with: joined, part.kind) else { break }
    }
    let (stretches, isWhole) = parts.stretches.cutToKeys()
    self.init(
      index, of: entity, parts,
      IndexRange(stretches, [], isWhole ? parts.certainty : .all),
      answered: isWhole ? parts.answered : TermSet())
  }

  /// Whether the entries have one whole value, and so come in the order of the objects' keys.
  var isOneValue: Bool { fixedPartCount == index.partCount }

  /// Whether the entry's object satisfies the answered terms for certain.
  func isCertain(_ entry: UnsafeRawBufferPointer) -> Bool {
    if range.certainty == .all { return true }
    return range.certainty.holds(
      of: UnsafeRawBufferPointer(rebasing: entry.dropLast(KeyEncoder.objectKeyByteCount)))
  }
}

extension IndexAccess: CustomStringConvertible {
  /// How the plan names it: "name (prefix)", "country, name (values, range)".
  var description: String {
    let names = index.names(in: entity.description).joined(separator: ", ")
    if widths.isEmpty { return names }
    return "\(names) (\(widths.map(\.name).joined(separator: ", ")))"
  }
}

/// The work on an access, part by part.
private struct PartWalk {
  /// Of the parts so far, each a single value.
  private var prefixes = PartWalk.noParts
  /// The stretches, once a part has been a range.
  private var ranges: [KeyRange]?
  var widths: [Width] = []
  private(set) var certainty = Certainty.all
  private(set) var answered = TermSet()
  private(set) var fixed: [UInt8] = []
  private(set) var fixedPartCount = 0
  /// Whether one of the fixed parts has no value.
  private(set) var fixesAnAbsentPart = false

  private static let noParts: [[UInt8]] = [[]]

  /// If there are more combinations of values, the part is walked through, not looked up.
  private static let prefixCountMax = 256

  var stretches: [KeyRange] { ranges ?? prefixes.map { KeyRange(prefix: $0) } }

  /// Takes the next part as fixed, if it has one value and all parts before are fixed.
  mutating func fix(_ range: IndexRange, _ kind: SlotKind) {
    guard let points = range.points, points.count == 1, fixedPartCount == widths.count else {
      return
    }
    // The first one is shared, not copied.
    fixed = fixed.isEmpty ? points[0] : fixed + points[0]
    fixedPartCount += 1
    if points[0] == KeyEncoder.absentKey(kind) { fixesAnAbsentPart = true }
  }

  /// - Returns: whether a further part can be used.
  mutating func goOn(with joined: SlotTerms.Joined, _ kind: SlotKind) -> Bool {
    guard ranges == nil else { return false }
    let range = joined.range
    answered.formUnion(joined.answered)
    defer { widths.append(range.width) }
    if let points = range.points, prefixes.count * points.count <= Self.prefixCountMax {
      fix(range, kind)
      // The bytes of a value do not tell whether it has a prefix that ends within a character.
      if range.certainty != .all { answered.subtract(joined.answered) }
      prefixes = prefixes.flatMap { prefix in points.map { prefix + $0 } }
      return true
    }
    if case .ending(let count) = range.certainty {
      let byteCount = prefixes.first?.count ?? 0
      if prefixes.allSatisfy({ $0.count == byteCount }) {
        certainty = .ending(afterByteCount: byteCount + count)
      } else {
        answered.subtract(joined.answered)
      }
    }
    ranges = prefixes.flatMap { prefix in
      range.stretches.map { stretch in
        KeyRange(
          lower: prefix + stretch.lower,
          upper: stretch.upper.map { prefix + $0 } ?? KeyRange.successor(ofPrefix: prefix))
      }
    }
    return false
  }
}

extension [KeyRange] {
  /// The stretches with bounds no longer than the entries' values, which are cut: all entries that
  /// were in them, and perhaps more.
  ///
  /// - Returns: the stretches, and whether nothing had to be cut.
  fileprivate func cutToKeys() -> (stretches: [KeyRange], isWhole: Bool) {
    let most = KeyEncoder.valueByteCountMax
    var stretches = self
    var isWhole = true
    for place in indices {
      if self[place].lower.count > most {
        isWhole = false
        stretches[place].lower = [UInt8](self[place].lower.prefix(most))
      }
      if let upper = self[place].upper, upper.count > most {
        isWhole = false
        stretches[place].upper = KeyRange.successor(ofPrefix: [UInt8](upper.prefix(most)))
      }
    }
    return (stretches, isWhole)
  }
}
