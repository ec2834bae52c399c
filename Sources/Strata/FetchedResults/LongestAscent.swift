// SPDX-License-Identifier: Apache-2.0

/// The longest ascending subsequence: of things in their old order, by their new places, the most that
/// can be said not to have moved.
enum LongestAscent {
  /// The indexes of the elements of one such subsequence, ascending. O(n log n).
  static func indexes(of places: [Int]) -> [Int] {
    /// For each length, the index of the element with the least place that ends an ascent of it.
    var ends: [Int] = []
    var previous = [Int](repeating: -1, count: places.count)
    for (index, place) in places.enumerated() {
      var low = 0
      var high = ends.count
      while low < high {
        let middle = (low + high) / 2
        if places[ends[middle]] < place { low = middle + 1 } else { high = middle }
      }
      if low > 0 { previous[index] = ends[low - 1] }
      if low < ends.count { ends[low] = index } else { ends.append(index) }
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
