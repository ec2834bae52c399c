// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// The positions of the changes of a segment's objects in its table, found by one load for most
/// objects.
///
/// A walk over an index asks each layer about each entry of the store, and most entries are of
/// objects without a change in the layer. Searching the table takes several loads, each of a line
/// of memory that is in no near cache if much is pending; the map of the same table is a tenth as
/// large, or less.
///
/// ```
///  close together   [ bits of 64 serials │ how many keys are before them ] …   the place itself
///  far apart        [ bits ] …                                           one for each hashed key
/// ```
///
/// ## Invariants
/// - I1 A key of the table is never said to be absent, and a place that is told is its place.
///
/// ## Isolation
/// Sendable: constant once it is made.
// Safety: see above; the words do not change after `init`.
final class KeyMap: @unchecked Sendable {
  /// The objects of one entity.
  struct Interval {
    let first: UInt64
    let last: UInt64
    /// Where the first of them is in the table.
    fileprivate let firstPlace: Int
    /// Good as long as the map is kept.
    fileprivate let words: UnsafeMutablePointer<UInt64>
    /// How far a hashed key is shifted to be a bit's number; 0 if each serial has its bit.
    fileprivate let shift: UInt64
  }

  /// The answer of a range about a key.
  enum Answer {
    case absent
    case at(Int)
    /// The table has to be searched.
    case unknown
  }

  /// By entity, ascending.
  let intervals: [Interval]
  private let words: UnsafeMutablePointer<UInt64>

  /// Up to this number of serials per key, each serial has its own bit: 16 bytes per key.
  private static let serialsPerKeyMax: UInt64 = 64
  /// If keys are farther apart, each key gets at least this number of bits: the fraction of absent
  /// keys that must be searched is at most its inverse.
  private static let bitsPerKey = 16

  init(_ table: ChangeTable) {
    let shapes = table.spans.map(Self.shape(of:))
    let wordCount = shapes.reduce(0) { $0 + $1.wordCount }
    words = .allocate(capacity: max(wordCount, 1))
    words.initialize(repeating: 0, count: max(wordCount, 1))
    var intervals: [Interval] = []
    intervals.reserveCapacity(shapes.count)
    var free = words
    for (span, shape) in zip(table.spans, shapes) {
      let interval = Interval(
        first: span.first, last: span.last, firstPlace: span.range.lowerBound, words: free,
        shift: shape.shift)
      interval.note(table.keys[span.range])
      intervals.append(interval)
      free += shape.wordCount
    }
    self.intervals = intervals
  }

  deinit { words.deallocate() }

  private static func shape(of span: ChangeTable.Span) -> (wordCount: Int, shift: UInt64) {
    let width = span.last - span.first
    if width <= serialsPerKeyMax * UInt64(span.range.count) {
      return (2 * Int(width / 64 + 1), 0)
    }
    // A power of two, and a word at least.
    let bitCountMin = span.range.count * bitsPerKey
    let bitCountLog = max(6, Int.bitWidth - (bitCountMin - 1).leadingZeroBitCount)
    return (1 << (bitCountLog - 6), UInt64(64 - bitCountLog))
  }
}

extension KeyMap.Interval {
  /// - Parameter raw: of a key between `first` and `last`.
  @inline(__always)
  func answer(for raw: UInt64) -> KeyMap.Answer {
    guard shift == 0 else { return isNoted(raw) ? .unknown : .absent }
    let offset = raw - first
    let pair = words + 2 * Int(offset >> 6)
    let bit: UInt64 = 1 << (offset & 63)
    guard pair[0] & bit != 0 else { return .absent }
    return .at(firstPlace + Int(pair[1]) + (pair[0] & (bit - 1)).nonzeroBitCount)
  }

  @inline(__always)
  private func isNoted(_ raw: UInt64) -> Bool {
    let hash = Self.hash(raw) >> shift
    return words[Int(hash >> 6)] & (1 << (hash & 63)) != 0
  }

  private static func hash(_ raw: UInt64) -> UInt64 {
    (raw ^ raw >> 29) &* 0x9E37_79B9_7F4A_7C15
  }

  fileprivate func note(_ keys: ArraySlice<ObjectKey>) {
    guard shift == 0 else {
      for key in keys {
        let hash = Self.hash(key.rawValue) >> shift
        words[Int(hash >> 6)] |= 1 << (hash & 63)
      }
      return
    }
    var before: UInt64 = 0
    var last = -1
    for key in keys {
      let offset = key.rawValue - first
      let word = 2 * Int(offset >> 6)
      if word != last {
        words[word + 1] = before
        last = word
      }
      words[word] |= 1 << (offset & 63)
      before += 1
    }
  }
}
