// SPDX-License-Identifier: Apache-2.0

/// The order in which sources are tried: a guess from the request alone, without statistics. How many
/// keys there are is found out by walking, and a source that turns out to be wide is given up
/// (`SourceReader`).
///
/// It compares as words do, most significant first: part by part of an index a value before a prefix
/// before a range, and where all are alike, whatever bounds a further part before what does not.
///
/// ```
///  (country == DE, name BEGINSWITH "B")   point, prefix, whole
///  (country == DE)                        point, whole            after it
///  one object                             one                     before both
/// ```
struct Selectivity: Sendable, Comparable {
  private let widths: [Width]

  /// - Parameter widths: one or more.
  init(_ widths: [Width]) { self.widths = widths }

  /// As many keys as the predicate names.
  static let named = Selectivity([.named])
  /// One key at most.
  static let one = Selectivity([.one])

  /// Of what is made from a source of this selectivity: by a hop, or a union with others.
  func behind(_ step: Width) -> Selectivity { Selectivity([max(widths[0], .point), step]) }

  /// Whether there is reason to think that it is a small part of the objects: values, a prefix, or a
  /// range with two ends.
  var isNarrow: Bool { widths[0] <= .between }

  /// The selectivity without ranges that are open: they may be most of the objects.
  var closed: Selectivity {
    self <= .one ? self : Selectivity(Array(widths.prefix { $0 < .open }) + [.whole])
  }

  static func < (left: Selectivity, right: Selectivity) -> Bool {
    left.widths.lexicographicallyPrecedes(right.widths)
  }
}
