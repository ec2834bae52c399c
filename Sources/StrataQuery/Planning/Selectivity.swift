// SPDX-License-Identifier: Apache-2.0

/// The order in which sources are tried: an estimate only from the request, without statistics.
/// Walking a source finds its size, and a source that is too wide is given up (`SourceReader`).
///
/// Selectivities compare like words, the most significant part first. Part by part of an index, a
/// value comes before a prefix, and a prefix before a range. If the common parts are equal, a
/// source that limits a further part comes first.
///
/// ```
///  (country == DE, name BEGINSWITH "B")   point, prefix, whole
///  (country == DE)                        point, whole            after it
///  one object                             one                     before both
/// ```
struct Selectivity: Sendable, Comparable {
  private let widths: [Width]

  /// - Parameter widths: one or more widths.
  init(_ widths: [Width]) { self.widths = widths }

  /// The number of keys that the predicate names.
  static let named = Selectivity([.named])
  /// At most one key.
  static let one = Selectivity([.one])

  /// Returns the selectivity of a hop from this source, or of a union with others.
  func behind(_ step: Width) -> Selectivity { Selectivity([max(widths[0], .point), step]) }

  /// Whether the source is likely to be a small part of the objects: values, a prefix, or a range
  /// with two bounds.
  var isNarrow: Bool { widths[0] <= .between }

  /// The selectivity without ranges that have one bound: they may contain most objects.
  var closed: Selectivity {
    self <= .one ? self : Selectivity(Array(widths.prefix { $0 < .open }) + [.whole])
  }

  static func < (left: Selectivity, right: Selectivity) -> Bool {
    left.widths.lexicographicallyPrecedes(right.widths)
  }
}
