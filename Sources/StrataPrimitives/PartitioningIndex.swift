// SPDX-License-Identifier: Apache-2.0

extension RandomAccessCollection {
  /// The first index whose element is in the second part, of elements that are partitioned; the
  /// collection's end if there is none. O(log n).
  @inlinable @inline(__always)
  package func partitioningIndex(
    where isSecond: (Element) throws -> Bool
  ) rethrows -> Index {
    var low = startIndex
    var rest = count
    while rest > 0 {
      let half = rest / 2
      let middle = index(low, offsetBy: half)
      if try isSecond(self[middle]) {
        rest = half
      } else {
        low = index(after: middle)
        rest -= half + 1
      }
    }
    return low
  }
}
