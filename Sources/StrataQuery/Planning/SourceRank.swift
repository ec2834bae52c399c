// SPDX-License-Identifier: Apache-2.0

/// The order in which sources are tried: a guess from the request alone, without statistics. How many
/// keys there are is found out by walking, and a source that turns out to be wide is given up
/// (`SourceReader`).
///
/// A rank is a list of places that compares as words do, most significant first: part by part of an
/// index a value before a prefix before a range, and where all are alike, whatever bounds a further part
/// before what does not. The places are digits of one number, so that ranks are compared by one
/// instruction; what is beyond the 15th tells nothing.
///
/// ```
///  (country == DE, name BEGINSWITH "B")   point, prefix, whole
///  (country == DE)                        point, whole            after it
///  one object                             one                     before both
/// ```
struct SourceRank: Sendable, Comparable {
  /// One place. 0 is none: the list ends there.
  private enum Place: UInt64 {
    /// As many keys as the predicate names.
    case certain = 1
    /// One key at most.
    case one = 2
    case point = 3
    case prefix = 4
    case between = 5
    case open = 6
    case most = 7
    /// All of what is left of an index.
    case whole = 8
    case hop = 9
    case union = 10

    init(_ width: KeyStretch.Width) {
      switch width {
      case .point: self = .point
      case .prefix: self = .prefix
      case .between: self = .between
      case .open: self = .open
      case .most: self = .most
      }
    }
  }

  private static let digitBitCount = 4
  private static let digitCount = UInt64.bitWidth / digitBitCount

  private let digits: UInt64

  /// As many keys as the predicate names.
  static let certain = SourceRank(.certain)
  /// One key at most.
  static let one = SourceRank(.one)

  private init(digits: UInt64) { self.digits = digits }

  private init(_ first: Place, _ second: Place? = nil) {
    digits = Self.digit(first, at: 0) | (second.map { Self.digit($0, at: 1) } ?? 0)
  }

  init(_ access: IndexAccess) {
    if access.isOneObject {
      self = .one
      return
    }
    var digits: UInt64 = 0
    for (index, width) in access.widths.prefix(Self.digitCount - 1).enumerated() {
      digits |= Self.digit(Place(width), at: index)
    }
    let count = min(access.widths.count, Self.digitCount - 1)
    self.digits = digits | Self.digit(.whole, at: count)
  }

  private static func digit(_ place: Place, at index: Int) -> UInt64 {
    place.rawValue << UInt64(UInt64.bitWidth - (index + 1) * digitBitCount)
  }

  private func digit(at index: Int) -> UInt64 {
    digits >> UInt64(UInt64.bitWidth - (index + 1) * Self.digitBitCount) & 0xF
  }

  /// What sources are made into others by.
  enum Step {
    case hop, union
  }

  /// That of what is made from a source of this rank.
  func behind(_ step: Step) -> SourceRank {
    let first = max(digit(at: 0), Place.point.rawValue)
    let second = (step == .hop ? Place.hop : Place.union).rawValue
    return SourceRank(
      digits: (first << UInt64(Self.digitBitCount) | second)
        << UInt64(UInt64.bitWidth - 2 * Self.digitBitCount))
  }

  /// Whether there is reason to think that it is a small part of the objects: values, a prefix, or a
  /// range with two ends.
  var isNarrow: Bool { digit(at: 0) <= Place.between.rawValue }

  /// The rank without ranges that are open: they may be most of the objects.
  var closed: SourceRank {
    if self <= .one { return self }
    var bounded: UInt64 = 0
    var count = 0
    while count < Self.digitCount - 1, 1..<Place.open.rawValue ~= digit(at: count) {
      bounded |= digits & (0xF << UInt64(UInt64.bitWidth - (count + 1) * Self.digitBitCount))
      count += 1
    }
    return SourceRank(digits: bounded | Self.digit(.whole, at: count))
  }

  static func < (left: SourceRank, right: SourceRank) -> Bool { left.digits < right.digits }
}
