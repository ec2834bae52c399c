// SPDX-License-Identifier: Apache-2.0

/// The longest ascending subsequence: of things in their old order, by their new places, the most
/// that can be said not to have moved.
package enum LongestAscent {
  /// The indexes of the elements of one such subsequence, ascending. O(n log n).
  package static func indexes(of places: [Int]) -> [Int] {
    /// For each length, the index of the element with the least place that ends an ascent of it.
    var ends: [Int] = []
    var previous = [Int](repeating: -1, count: places.count)
    for (index, place) in places.enumerated() {
      let length = ends.partitioningIndex { places[$0] >= place }
      if length > 0 { previous[index] = ends[length - 1] }
      if length < ends.count { ends[length] = index } else { ends.append(index) }
    }
    var indexes: [Int] = []
    var index = ends.last ?? -1
    while index >= 0 {
      indexes.append(index)
      index = previous[index]
    }
    return indexes.reversed()
  }
}
