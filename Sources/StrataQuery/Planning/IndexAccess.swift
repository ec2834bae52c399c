// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataRecord

/// A range of a single or compound index: the entries that the terms of an "and" leave.
///
/// The parts of a compound index are used in order. As long as a part has single values, each value
/// with the parts after it is a key range. A range or a prefix is the last part that is used.
///
/// ```
///  (country, name, population)
///  country == DE, name BEGINSWITH "B"  →  one key range, within DE
///  country IN (DE, FR), population > 5 →  two key ranges; the population is evaluated per object
/// ```
///
/// ## Invariants
/// - I1 Every object that satisfies the terms has its entry in `range`.
/// - I2 An object with a certain entry in `range` satisfies the terms in `answered`.
///
/// A class, because planning and execution pass the access on often, and all of it is constant.
///
/// ## Isolation
/// Sendable: constant.
final class IndexAccess: Sendable {
  let index: IndexSchema
  /// The entity of the plan.
  let entity: EntitySchema
  let range: IndexRange
  /// The estimated width of each part that is used.
  let widths: [Width]
  /// The bytes with which all entries begin: the leading parts that have one value.
  let fixed: [UInt8]
  let fixedPartCount: Int
  let answered: TermSet
  /// Whether at most one object can have the value: the index is unique and all parts have a value.
  /// Any number of objects may have a nil in a part.
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

  /// Creates the access to a whole index.
  convenience init(whole index: IndexSchema, of entity: EntitySchema) {
    self.init(
      index, of: entity, PartWalk(), IndexRange([KeyRange()]), answered: TermSet())
  }

  /// Creates the access to the entries of one word, or of the words with one prefix.
  convenience init(words range: IndexRange, in index: IndexSchema, of entity: EntitySchema) {
    self.init(single: index, of: entity, range, answered: TermSet())
  }

  /// Creates the access to the entries that `slots` leave; nil if no term limits the first part.
  convenience init?(_ index: IndexSchema, of entity: EntitySchema, _ slots: SlotTerms) {
    guard let first = slots[index.slot] else { return nil }
    guard index.isCompound else {
      self.init(single: index, of: entity, first.range, answered: first.answered)
      return
    }
    var parts = PartWalk()
    for part in index.parts {
      guard let joined = slots[part.slot], parts.goOn(with: joined, part.kind) else { break }
    }
    let (keyRanges, isWhole) = parts.keyRanges.cutToKeys()
    self.init(
      index, of: entity, parts,
      IndexRange(keyRanges, [], isWhole ? parts.certainty : .all),
      answered: isWhole ? parts.answered : TermSet())
  }

  /// Creates the access to a range of an index of one part. No walk over parts is needed, so that a
  /// fetch by one value remains fast.
  private convenience init(
    single index: IndexSchema, of entity: EntitySchema, _ range: IndexRange, answered: TermSet
  ) {
    var parts = PartWalk()
    parts.fix(range, index.kind)
    parts.widths.append(range.width)
    self.init(index, of: entity, parts, range, answered: answered)
  }

  /// Returns the access for another condition on the index's only slot; nil if the index is
  /// compound, or if the ranges differ in more than their bounds.
  func with(_ condition: SlotCondition) -> IndexAccess? {
    guard !index.isCompound, let (slot, range) = condition.range, slot == index.slot,
      range.certainty != .none
    else { return nil }
    let other = IndexAccess(single: index, of: entity, range, answered: answered)
    guard answered.count == 1, other.widths == widths, other.fixedPartCount == fixedPartCount,
      other.isOneObject == isOneObject
    else { return nil }
    return other
  }

  /// Whether all entries have the same uncut value, and are therefore in the order of the objects'
  /// keys.
  var isOneValue: Bool { fixedPartCount == index.partCount }

  /// Whether the entry's object certainly satisfies the answered terms.
  func isCertain(_ entry: UnsafeRawBufferPointer) -> Bool {
    if range.certainty == .all { return true }
    return range.certainty.holds(
      of: UnsafeRawBufferPointer(rebasing: entry.dropLast(KeyEncoder.objectKeyByteCount)))
  }
}

extension IndexAccess: CustomStringConvertible {
  /// The name of the access in plans: "name (prefix)", "country, name (values, range)".
  var description: String {
    var names = index.names(in: entity.description).joined(separator: ", ")
    if index.isOfWords { names = "words of \(names)" }
    if widths.isEmpty { return names }
    return "\(names) (\(widths.map(\.name).joined(separator: ", ")))"
  }
}

/// The construction of an access, part by part.
private struct PartWalk {
  /// The combinations of the values of the parts so far.
  private var prefixes = PartWalk.noParts
  /// The key ranges, after a part that is a range.
  private var ranges: [KeyRange]?
  var widths: [Width] = []
  private(set) var certainty = Certainty.all
  private(set) var answered = TermSet()
  private(set) var fixed: [UInt8] = []
  private(set) var fixedPartCount = 0
  /// Whether one of the fixed parts is nil.
  private(set) var fixesAnAbsentPart = false

  private static let noParts: [[UInt8]] = [[]]

  /// The maximum number of combinations of values. Beyond it, the part is walked as a range.
  private static let prefixCountMax = 256

  var keyRanges: [KeyRange] { ranges ?? prefixes.map { KeyRange(prefix: $0) } }

  /// Fixes the next part, if it has one value and all parts before are fixed.
  mutating func fix(_ range: IndexRange, _ kind: SlotKind) {
    guard let points = range.points, points.count == 1, fixedPartCount == widths.count else {
      return
    }
    // The first value is shared, not copied.
    fixed = fixed.isEmpty ? points[0] : fixed + points[0]
    fixedPartCount += 1
    if points[0] == KeyEncoder.absentKey(kind) { fixesAnAbsentPart = true }
  }

  /// Adds the next part.
  ///
  /// - Returns: whether a further part can be used.
  mutating func goOn(with joined: SlotTerms.Joined, _ kind: SlotKind) -> Bool {
    guard ranges == nil else { return false }
    let range = joined.range
    answered.formUnion(joined.answered)
    defer { widths.append(range.width) }
    if let points = range.points, prefixes.count * points.count <= Self.prefixCountMax {
      fix(range, kind)
      // The bytes of a value do not show whether it has a prefix that ends inside of a character.
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
      range.keyRanges.map { range in
        KeyRange(
          lower: prefix + range.lower,
          upper: range.upper.map { prefix + $0 } ?? KeyRange.successor(ofPrefix: prefix))
      }
    }
    return false
  }
}

extension [KeyRange] {
  /// Returns the key ranges with bounds no longer than the entries' values, which are cut. The
  /// ranges contain all entries of the original ones, and possibly more.
  ///
  /// - Returns: the key ranges, and whether no bound was cut.
  fileprivate func cutToKeys() -> (keyRanges: [KeyRange], isWhole: Bool) {
    let most = KeyEncoder.valueByteCountMax
    var keyRanges = self
    var isWhole = true
    for place in indices {
      if self[place].lower.count > most {
        isWhole = false
        keyRanges[place].lower = [UInt8](self[place].lower.prefix(most))
      }
      if let upper = self[place].upper, upper.count > most {
        isWhole = false
        keyRanges[place].upper = KeyRange.successor(ofPrefix: [UInt8](upper.prefix(most)))
      }
    }
    return (keyRanges, isWhole)
  }
}
