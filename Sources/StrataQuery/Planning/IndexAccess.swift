// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataRecord

/// A stretch of an index of one part or several: what the terms of an "and" leave of it.
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
/// - I1 Every object that satisfies the terms has its entry in `ranges`.
/// - I2 An object whose entry is in `ranges`, and of which `certainty` holds, satisfies the terms that
///   are `answered`.
///
/// A class, because a plan hands it on from place to place, and all of it is constant.
final class IndexAccess: Sendable {
  let index: IndexSchema
  let ranges: KeyRanges
  /// What bounds each of the parts that are used.
  let widths: [KeyStretch.Width]
  let certainty: KeyStretch.Certainty
  /// The bytes that all entries begin with: the leading parts that have one value.
  let fixed: [UInt8]
  let fixedPartCount: Int
  let answered: TermSet
  /// Whether at most one object can have the value: the index is unique, and no part is without a value,
  /// which any number of objects may be.
  let isOneObject: Bool

  /// More combinations of values than so many are walked through, not looked up.
  private static let prefixCountMax = 256

  /// The whole index.
  init(whole index: IndexSchema) {
    self.index = index
    ranges = .all
    widths = []
    certainty = .all
    fixed = []
    fixedPartCount = 0
    answered = TermSet()
    isOneObject = false
  }

  /// What `slots` leave of the index; nil if nothing is said of its first part.
  convenience init?(_ index: IndexSchema, _ slots: SlotStretches) {
    guard let first = slots[index.slot] else { return nil }
    if index.isCompound { self.init(compound: index, slots) } else { self.init(index, first) }
  }

  private init(compound index: IndexSchema, _ slots: SlotStretches) {
    var walk = PartWalk()
    for part in index.parts {
      guard let joined = slots[part.slot], walk.goOn(with: joined, part.kind) else { break }
    }
    let (ranges, isWhole) = walk.bounds.cutToKeys()
    self.index = index
    self.ranges = ranges
    widths = walk.widths
    certainty = isWhole ? walk.certainty : .all
    answered = isWhole ? walk.answered : TermSet()
    fixed = walk.fixed
    fixedPartCount = walk.fixedPartCount
    isOneObject =
      index.isUnique && walk.fixedPartCount == index.partCount && !walk.fixesAnAbsentPart
  }

  /// The stretch of an index over one slot, as it is: what a fetch by one value needs is made fast.
  private init(_ index: IndexSchema, _ joined: SlotStretches.Joined) {
    self.index = index
    ranges = joined.keys.ranges
    widths = [joined.keys.width]
    certainty = joined.keys.certainty
    answered = joined.answered
    if let points = joined.keys.points, points.count == 1 {
      fixed = points[0]
      fixedPartCount = 1
      isOneObject = index.isUnique && points[0] != KeyRanges.absentKey(index.kind)
    } else {
      fixed = []
      fixedPartCount = 0
      isOneObject = false
    }
  }

  /// The work on an access, part by part.
  private struct PartWalk {
    /// Of the parts so far, each a single value.
    var prefixes: [[UInt8]] = [[]]
    /// The stretches, once a part has been a range.
    var ranges: [KeyRange]?
    var widths: [KeyStretch.Width] = []
    var certainty = KeyStretch.Certainty.all
    var answered = TermSet()
    var fixed: [UInt8] = []
    var fixedPartCount = 0
    /// Whether one of the fixed parts has no value.
    var fixesAnAbsentPart = false

    var bounds: [KeyRange] { ranges ?? prefixes.map { KeyRange(prefix: $0) } }

    /// - Returns: whether a further part can be used.
    mutating func goOn(with joined: SlotStretches.Joined, _ kind: SlotKind) -> Bool {
      guard ranges == nil else { return false }
      widths.append(joined.keys.width)
      answered.formUnion(joined.answered)
      if let points = joined.keys.points,
        prefixes.count * points.count <= IndexAccess.prefixCountMax
      {
        if points.count == 1, fixedPartCount == widths.count - 1 {
          fixed += points[0]
          fixedPartCount += 1
          if points[0] == KeyRanges.absentKey(kind) { fixesAnAbsentPart = true }
        }
        // The bytes of a value do not tell whether it has a prefix that ends within a character.
        if joined.keys.certainty != .all { answered.subtract(joined.answered) }
        prefixes = prefixes.flatMap { prefix in points.map { prefix + $0 } }
        return true
      }
      if case .ending(let count) = joined.keys.certainty {
        let byteCount = prefixes.first?.count ?? 0
        let isAligned = prefixes.allSatisfy { $0.count == byteCount }
        if isAligned {
          certainty = .ending(afterByteCount: byteCount + count)
        } else {
          answered.subtract(joined.answered)
        }
      }
      ranges = prefixes.flatMap { prefix in
        joined.keys.ranges.ranges.map { range in
          KeyRange(
            lower: prefix + range.lower,
            upper: range.upper.map { prefix + $0 } ?? KeyRange.successor(ofPrefix: prefix))
        }
      }
      return false
    }
  }

  /// Whether the entries have one whole value, and so come in the order of the objects' keys.
  var isOneValue: Bool { fixedPartCount == index.partCount }

  /// Whether the entry's object satisfies the answered terms for certain.
  func isCertain(_ entry: UnsafeRawBufferPointer) -> Bool {
    if certainty == .all { return true }
    return certainty.holds(
      of: UnsafeRawBufferPointer(rebasing: entry.dropLast(KeyEncoder.objectKeyByteCount)))
  }

  /// How the plan names it: "name (prefix)", "country, name (values, range)".
  func description(in entity: EntitySchema) -> String {
    let names = index.names(in: entity.description).joined(separator: ", ")
    if widths.isEmpty { return names }
    return "\(names) (\(widths.map(\.name).joined(separator: ", ")))"
  }
}

extension [KeyRange] {
  /// The stretches with bounds no longer than the entries' values, which are cut: all entries that
  /// were in them, and perhaps more.
  ///
  /// - Returns: the stretches, and whether nothing had to be cut.
  fileprivate func cutToKeys() -> (KeyRanges, isWhole: Bool) {
    let most = KeyEncoder.valueByteCountMax
    var isWhole = true
    let ranges = map { range -> KeyRange in
      var range = range
      if range.lower.count > most {
        isWhole = false
        range.lower = [UInt8](range.lower.prefix(most))
      }
      if let upper = range.upper, upper.count > most {
        isWhole = false
        range.upper = KeyRange.successor(ofPrefix: [UInt8](upper.prefix(most)))
      }
      return range
    }
    return (KeyRanges(ranges), isWhole)
  }
}
