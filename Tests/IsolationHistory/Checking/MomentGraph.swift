// SPDX-License-Identifier: Apache-2.0

/// The moments of a history, and which of them must come before which.
///
/// Each unit has a commit. Each turn has a beginning for each level that it reads: a view consists
/// of the layers of its ancestors and of a snapshot of the store, and the two may be taken at
/// different times within the turn. A line of times stands for the clock: a moment of a unit comes
/// after the time of the unit's start and before the time of its end.
///
/// | fact | moments |
/// | --- | --- |
/// | a turn reads a version | commit of its maker → beginning |
/// | a turn reads a version that another unit replaces | beginning → commit of that unit |
/// | the same, guarded | commit → commit of that unit |
/// | a unit replaces a version | commit of its maker → commit of the unit |
/// | a unit | its start → beginnings of a turn → gate → beginnings of the next → commit → its end |
///
/// ## Isolation
/// A value.
struct MomentGraph {
  /// The reason why one moment comes before another. The order of cases is the order in which
  /// cycles are looked for.
  enum Reason: Int, Comparable {
    case within, replaced, read, unread, guarded, time

    static func < (left: Reason, right: Reason) -> Bool { left.rawValue < right.rawValue }
  }

  struct Cycle {
    let kind: Anomaly.Kind
    let units: [Int]
    let detail: String
  }

  private struct Edge {
    let target: Int
    let reason: Reason
  }

  private struct Turn: Hashable {
    let unit: Int
    let turn: Int
    let level: String
  }

  private let units: [UnitOfWork]
  private var edges: [[Edge]]
  /// The unit of each moment; nil for a time.
  private var owners: [Int?]
  private var beginnings: [Turn: Int] = [:]
  /// By unit and turn: a moment before all beginnings of the turn and after all of the turn before.
  private var gates: [[Int]]

  init(_ units: [UnitOfWork]) {
    self.units = units
    owners = units.indices.map { $0 }
    edges = Array(repeating: [], count: units.count)
    gates = Array(repeating: [], count: units.count)
    addTimes()
    for unit in units.indices {
      for turn in units[unit].turns.indices.dropFirst() {
        let gate = addMoment(of: unit)
        edges[gates[unit][turn - 1]].append(
          Edge(target: gate, reason: turn == 1 ? .time : .within))
        gates[unit].append(gate)
      }
    }
  }

  /// Adds the line of times. Of equal times, a start comes first: two units are in order only if
  /// the end of one is before the start of the other.
  private mutating func addTimes() {
    var times = units.indices.map { (time: units[$0].start, isEnd: false, unit: $0) }
    times += units.indices.map { (time: units[$0].end, isEnd: true, unit: $0) }
    times.sort { ($0.time, $0.isEnd ? 1 : 0) < ($1.time, $1.isEnd ? 1 : 0) }
    var last: Int?
    for (_, isEnd, unit) in times {
      let moment = addMoment(of: nil)
      if let last { edges[last].append(Edge(target: moment, reason: .time)) }
      last = moment
      if isEnd {
        edges[unit].append(Edge(target: moment, reason: .time))
      } else {
        gates[unit] = [moment]
        edges[moment].append(Edge(target: unit, reason: .time))
      }
    }
  }

  private mutating func addMoment(of unit: Int?) -> Int {
    edges.append([])
    owners.append(unit)
    return edges.count - 1
  }

  private mutating func beginning(_ turn: Turn) -> Int {
    if let known = beginnings[turn] { return known }
    let moment = addMoment(of: turn.unit)
    beginnings[turn] = moment
    let gates = gates[turn.unit]
    edges[gates[turn.turn]].append(
      Edge(target: moment, reason: turn.turn == 0 ? .time : .within))
    let next = turn.turn + 1 < gates.count ? gates[turn.turn + 1] : turn.unit
    edges[moment].append(Edge(target: next, reason: .within))
    if next != turn.unit { edges[moment].append(Edge(target: turn.unit, reason: .within)) }
    return moment
  }

  // MARK: - Facts

  mutating func commit(of unit: Int, isBeforeCommitOf other: Int) {
    edges[unit].append(Edge(target: other, reason: .replaced))
  }

  mutating func commit(of other: Int, isBefore turn: Int, of unit: Int, at level: String) {
    let beginning = beginning(Turn(unit: unit, turn: turn, level: level))
    edges[other].append(Edge(target: beginning, reason: .read))
  }

  mutating func turn(
    _ turn: Int, of unit: Int, at level: String, isBeforeCommitOf other: Int, isGuarded: Bool
  ) {
    let beginning = beginning(Turn(unit: unit, turn: turn, level: level))
    edges[beginning].append(Edge(target: other, reason: .unread))
    if isGuarded { edges[unit].append(Edge(target: other, reason: .guarded)) }
  }

  // MARK: - Cycles

  /// One cycle of each set of moments that come before each other, of the simplest kind that the
  /// history has: kinds that need fewer reasons come first.
  func cycles() -> [Cycle] {
    for limit in [Reason.replaced, .read, .unread, .guarded, .time] {
      let found = components(upTo: limit).compactMap { cycle(in: $0, upTo: limit) }
      if !found.isEmpty { return found }
    }
    return []
  }

  /// The sets of moments that reach each other by edges with a reason up to `limit`, if a set has
  /// more than one member (Tarjan's algorithm, without recursion).
  private func components(upTo limit: Reason) -> [[Int]] {
    var index = Array(repeating: -1, count: edges.count)
    var low = index
    var isOnStack = Array(repeating: false, count: edges.count)
    var stack: [Int] = []
    var components: [[Int]] = []
    var count = 0
    for root in edges.indices where index[root] < 0 {
      var calls = [(moment: root, next: 0)]
      while let (moment, next) = calls.last {
        if next == 0 {
          index[moment] = count
          low[moment] = count
          count += 1
          stack.append(moment)
          isOnStack[moment] = true
        }
        if next < edges[moment].count {
          calls[calls.count - 1].next += 1
          let edge = edges[moment][next]
          if edge.reason > limit { continue }
          if index[edge.target] < 0 {
            calls.append((edge.target, 0))
          } else if isOnStack[edge.target] {
            low[moment] = min(low[moment], index[edge.target])
          }
          continue
        }
        calls.removeLast()
        if let caller = calls.last?.moment { low[caller] = min(low[caller], low[moment]) }
        guard low[moment] == index[moment] else { continue }
        var component: [Int] = []
        repeat {
          component.append(stack.removeLast())
          isOnStack[component[component.count - 1]] = false
        } while component.last != moment
        if component.count > 1 { components.append(component) }
      }
    }
    return components
  }

  /// How many edges of one set are tried for the simplest cycle: a set of many moments has many
  /// equally simple ones.
  private static let triedCountMax = 200

  /// A cycle of one set that has as few unread versions as possible.
  private func cycle(in component: [Int], upTo limit: Reason) -> Cycle? {
    let members = Set(component)
    // A cycle that a simpler kind has not shown passes an edge of the last reason. With times, it
    // passes a fact, because the clock alone has no cycle.
    let isSpecial = { (reason: Reason) in
      limit == .time ? reason != .within && reason != .time : reason == limit
    }
    var best: [(moment: Int, reason: Reason)]?
    var triedCount = 0
    for source in component {
      for edge in edges[source] where members.contains(edge.target) && isSpecial(edge.reason) {
        if triedCount == Self.triedCountMax { break }
        triedCount += 1
        guard let path = path(from: edge.target, to: source, within: members, upTo: limit)
        else { continue }
        let cycle = [(source, edge.reason)] + path
        if best.map({ cost(cycle) < cost($0) }) ?? true { best = cycle }
      }
    }
    return best.map { cycle in
      Cycle(kind: kind(cycle, limit), units: unitsOf(cycle), detail: detail(cycle))
    }
  }

  private func cost(_ cycle: [(moment: Int, reason: Reason)]) -> Int {
    cycle.count { $0.reason == .unread || $0.reason == .guarded } * edges.count + cycle.count
  }

  /// The moments from `start` on and before `end`, each with the reason of the next step; empty if
  /// they are the same. It avoids unread versions where it can.
  private func path(
    from start: Int, to end: Int, within members: Set<Int>, upTo limit: Reason
  ) -> [(moment: Int, reason: Reason)]? {
    for avoidsUnread in [true, false] {
      var cameFrom: [Int: (moment: Int, reason: Reason)] = [start: (start, .within)]
      var queue = [start]
      var next = 0
      while next < queue.count, cameFrom[end] == nil {
        let moment = queue[next]
        next += 1
        for edge in edges[moment]
        where edge.reason <= limit && members.contains(edge.target) && cameFrom[edge.target] == nil
        {
          if avoidsUnread, edge.reason == .unread || edge.reason == .guarded { continue }
          cameFrom[edge.target] = (moment, edge.reason)
          queue.append(edge.target)
        }
      }
      guard cameFrom[end] != nil else { continue }
      var path: [(moment: Int, reason: Reason)] = []
      var moment = end
      while moment != start, let step = cameFrom[moment] {
        path.append(step)
        moment = step.moment
      }
      return path.reversed()
    }
    return nil
  }

  private func kind(
    _ cycle: [(moment: Int, reason: Reason)], _ limit: Reason
  ) -> Anomaly.Kind {
    switch limit {
    case .within, .replaced: .dirtyWrite
    case .read: .circularFlow
    case .unread: cycle.count { $0.reason == .unread } == 1 ? .readSkew : .longFork
    case .guarded: .writeSkew
    case .time: .staleRead
    }
  }

  private func unitsOf(_ cycle: [(moment: Int, reason: Reason)]) -> [Int] {
    var units: [Int] = []
    for case let unit? in cycle.map({ owners[$0.moment] }) where units.last != unit {
      units.append(unit)
    }
    if units.count > 1, units.first == units.last { units.removeLast() }
    return units
  }

  private func detail(_ cycle: [(moment: Int, reason: Reason)]) -> String {
    let reasons = cycle.map(\.reason).filter { $0 != .within }
    // One word for a stretch of the clock.
    var shown: [Reason] = []
    for reason in reasons where shown.last != .time || reason != .time { shown.append(reason) }
    return shown.map { "\($0)" }.joined(separator: " → ")
  }
}
