// SPDX-License-Identifier: Apache-2.0

/// Which index answers an "and" best, and what is left to ask of the objects that it finds.
package struct IndexChoice: Sendable {
  package let stretch: IndexStretch
  /// The terms that the stretch does not answer.
  package let rest: [any Condition]

  /// The narrowest stretch among those of `terms`, where terms on the same index are joined; nil if
  /// no term has one. O(terms · indexed slots).
  package init?(among terms: [any Condition]) {
    let stretches = terms.map(\.stretch)
    var joined: [IndexStretch] = []
    for case let stretch? in stretches {
      if let same = joined.firstIndex(where: { $0.slot == stretch.slot }) {
        joined[same].keys = joined[same].keys.intersection(stretch.keys)
      } else {
        joined.append(stretch)
      }
    }
    guard var best = joined.min(by: { $0.keys.width < $1.keys.width }) else { return nil }
    rest = zip(terms, stretches).compactMap { term, stretch in
      guard let stretch, stretch.slot == best.slot, stretch.keys.isExact else { return term }
      return nil
    }
    best.keys.isExact = rest.isEmpty
    stretch = best
  }
}
