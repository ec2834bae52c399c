// SPDX-License-Identifier: Apache-2.0

/// A maximum matching of places on the left with places on the right, of which each two may have a
/// distance: as many pairs as there can be, near ones first.
///
/// First the nearest free places become pairs. Then augmenting paths find the pairs that this
/// greedy choice has made impossible: a place that has no partner takes the partner of another one,
/// which takes the next.
///
/// Distances are asked for again where they are needed, and never kept.
///
/// - Complexity: memory O(left + right). Time O(left × right) distances for each value that a
///   distance has, and as many for each pair that an augmenting path adds. All searches that add no
///   pair cost O(left × right) together, because none enters the places of an earlier one.
struct NearestMatching {
  /// By the place on the left: its partner on the right; nil for none.
  private(set) var partners: [Int?]
  /// The same by the place on the right.
  private var owners: [Int?]

  /// - Parameter distance: the distance of a place on the left from one on the right, from 0; nil
  ///   if they cannot be a pair. The same at each call.
  init(leftCount: Int, rightCount: Int, distance: (_ left: Int, _ right: Int) -> Int?) {
    partners = Array(repeating: nil, count: leftCount)
    owners = Array(repeating: nil, count: rightCount)
    matchNearest(distance)
    augment(distance)
  }

  private mutating func match(_ left: Int, _ right: Int) {
    partners[left] = right
    owners[right] = left
  }

  // MARK: - The nearest

  /// Makes pairs in the order of their distances. Of equal ones, the first place on the left gets
  /// the first one on the right.
  private mutating func matchNearest(_ distance: (Int, Int) -> Int?) {
    var free = Array(owners.indices)
    // No free place is nearer; without a bound, none has a distance. It stays true, because free
    // places only become fewer.
    var bounds: [Int?] = Array(repeating: 0, count: partners.count)
    while let nearest = bounds.lazy.compactMap({ $0 }).min() {
      for left in bounds.indices where bounds[left] == nearest {
        bounds[left] = nil
        for (index, right) in free.enumerated() {
          guard let found = distance(left, right) else { continue }
          if found == nearest {
            bounds[left] = nil
            match(left, right)
            free.remove(at: index)
            break
          }
          bounds[left] = min(bounds[left] ?? found, found)
        }
      }
    }
  }

  // MARK: - Augmenting paths

  private mutating func augment(_ distance: (Int, Int) -> Int?) {
    // Places that a search without success has reached lead to no free place, and never will.
    var alive = Array(owners.indices)
    for left in partners.indices where partners[left] == nil {
      var unseen = alive
      if !extend(from: left, &unseen, distance) { alive = unseen }
    }
  }

  /// Searches the shortest path from a place on the left to a free one on the right, breadth first,
  /// and turns its pairs around.
  ///
  /// - Parameter unseen: the places on the right to search; afterwards those that are not reached.
  /// - Returns: whether there is a path.
  private mutating func extend(
    from start: Int, _ unseen: inout [Int], _ distance: (Int, Int) -> Int?
  ) -> Bool {
    var queue = [start]
    var next = 0
    // By the place on the right: the place on the left from which it was reached.
    var origins: [Int: Int] = [:]
    while next < queue.count {
      let left = queue[next]
      next += 1
      var rest: [Int] = []
      for right in unseen {
        guard distance(left, right) != nil else {
          rest.append(right)
          continue
        }
        origins[right] = left
        guard let owner = owners[right] else {
          turn(pathTo: right, origins)
          return true
        }
        queue.append(owner)
      }
      unseen = rest
    }
    return false
  }

  private mutating func turn(pathTo end: Int, _ origins: [Int: Int]) {
    var right: Int? = end
    while let place = right, let left = origins[place] {
      // The start of the path has no partner.
      right = partners[left]
      match(left, place)
    }
  }
}
