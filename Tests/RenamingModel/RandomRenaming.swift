// SPDX-License-Identifier: Apache-2.0

/// Two models and the content of a store of the first one: entities and properties that change
/// their names, exchange them, pass them on in circles and shifts, go and come. What opening the
/// store with the second model must do is known beforehand: the models are made from the moves, and
/// not the moves from the models. The rules come from the guide Migrating.md alone.
package struct RandomRenaming: Sendable {
  /// The moves of one set of names.
  fileprivate struct Moves {
    /// The present names, by the former ones. Those that go are missing.
    var present: [String: String] = [:]
    var gone: Set<String> = []
    var new: [String] = []

    func formerName(of name: String) -> String? { present.first { $0.value == name }?.key }
  }

  /// How many names were moved, by the kind of the move.
  package struct Counts: Sendable, Hashable, CustomStringConvertible {
    package var single = 0
    /// Names that two exchange.
    package var exchanges = 0
    /// Names that three or more pass on to each other.
    package var circles = 0
    /// Names that go on under a name that another one leaves.
    package var shifts = 0
    package var removals = 0
    package var refusals = 0

    package init() {}

    package static func += (left: inout Counts, right: Counts) {
      left.single += right.single
      left.exchanges += right.exchanges
      left.circles += right.circles
      left.shifts += right.shifts
      left.removals += right.removals
      left.refusals += right.refusals
    }

    package var description: String {
      "\(single) single, \(exchanges) exchanges, \(circles) circles, \(shifts) shifts, "
        + "\(removals) removals, \(refusals) refusals"
    }
  }

  package private(set) var former = NamedModel()
  package private(set) var present = NamedModel()
  /// The second model with an attribute more. It still has the former names.
  package private(set) var later = NamedModel()
  package private(set) var content: NamedContent = [:]
  /// The data that may be deleted.
  package private(set) var removing: Set<String> = []
  /// The data that would go and that `removing` does not name: if there is any, the store must stay
  /// as it was, and the error must name all of it.
  package private(set) var unnamed: Set<String> = []
  /// The content after the moves, if they are not refused.
  package private(set) var expected: NamedContent = [:]
  /// The moves that are carried out.
  package private(set) var counts = Counts()

  package init(using random: inout some RandomNumberGenerator) {
    var (formerLines, presentLines) = ([String](), [String]())
    let moves = Self.moves(
      of: Array(["E", "F", "G"].prefix(Int.random(in: 1...3, using: &random))),
      into: ["E", "F", "G", "H"], using: &random)
    var counts = moves.counts
    let kept = moves.present.sorted { $0.key < $1.key }
    // Relationships from one entity to another, whose names stay or are exchanged on both sides.
    let isLinked = kept.count > 1 && Bool.random(using: &random)
    let isExchanged = Bool.random(using: &random)
    let linked = kept.prefix(2)
    for name in moves.present.keys.sorted() + moves.gone.sorted() {
      let properties = Self.moves(
        of: Array(
          ["a", "b", "c", "d"].shuffled(using: &random).prefix(
            Int.random(in: 0...4, using: &random))),
        into: ["a", "b", "c", "d", "e"], using: &random)
      let names = properties.present.keys.sorted() + properties.gone.sorted()
      let rows = (0..<Int.random(in: 0...3, using: &random)).map { row in
        Dictionary(
          uniqueKeysWithValues: names.filter { _ in Int.random(in: 0..<4, using: &random) > 0 }
            .map { ($0, "\(name).\($0) \(row)") })
      }
      content[name] = rows
      formerLines.append(
        "\(name): "
          + names.map { $0 + (Bool.random(using: &random) ? "!" : "") }.joined(separator: " "))
      guard let presentName = moves.present[name] else {
        remove(name, &counts, using: &random)
        continue
      }
      counts += properties.counts
      for property in properties.gone.sorted() {
        remove("\(name).\(property)", &counts, using: &random)
      }
      let words = properties.words.map { $0 + (Bool.random(using: &random) ? "!" : "") }
      presentLines.append(
        presentName + (presentName == name ? "" : "<\(name)") + ": "
          + words.joined(separator: " "))
      expected[presentName] = rows.map { row in
        var moved: [String: String] = [:]
        for (former, present) in properties.present { moved[present] = row[former] }
        return moved
      }
    }
    for name in moves.new {
      presentLines.append("\(name): a")
      expected[name] = []
    }
    if isLinked {
      link(
        linked.map { $0.key }, linked.map { $0.value }, isExchanged, &formerLines, &presentLines,
        using: &random)
      if isExchanged { counts.exchanges += 4 }
    }
    if unnamed.isEmpty {
      self.counts = counts
    } else {
      self.counts.refusals = 1
    }
    former = NamedModel(formerLines)
    present = NamedModel(presentLines)
    later = NamedModel(presentLines.map { $0 + " later" })
  }

  private mutating func remove(
    _ name: String, _ counts: inout Counts, using random: inout some RandomNumberGenerator
  ) {
    counts.removals += 1
    if Int.random(in: 0..<8, using: &random) > 0 {
      removing.insert(name)
    } else {
      unnamed.insert(name)
    }
  }

  /// Links the first entity to the second one, twice.
  private mutating func link(
    _ former: [String], _ present: [String], _ isExchanged: Bool, _ formerLines: inout [String],
    _ presentLines: inout [String], using random: inout some RandomNumberGenerator
  ) {
    func add(_ words: String, to name: String, _ lines: inout [String]) {
      for index in lines.indices {
        let own = lines[index].prefix { $0 != ":" && $0 != "<" }
        if own == name { lines[index] += " " + words }
      }
    }
    let (source, target) = (former[0], former[1])
    add("x>\(target).xs y>\(target).ys", to: source, &formerLines)
    add("xs*\(source).x ys*\(source).y", to: target, &formerLines)
    let (later, laterTarget) = (present[0], present[1])
    func was(_ name: String, _ other: String) -> String { isExchanged ? "\(name)<\(other)" : name }
    add(
      "\(was("x", "y"))>\(laterTarget).xs \(was("y", "x"))>\(laterTarget).ys", to: later,
      &presentLines)
    add(
      "\(was("xs", "ys"))*\(later).x \(was("ys", "xs"))*\(later).y", to: laterTarget, &presentLines)
    let count = content[target]?.count ?? 0
    for row in content[source]?.indices ?? 0..<0 where count > 0 {
      for (name, other) in [("x", "y"), ("y", "x")] where Bool.random(using: &random) {
        let place = "\(Int.random(in: 0..<count, using: &random))"
        content[source]?[row][name] = place
        expected[later]?[row][isExchanged ? other : name] = place
      }
    }
  }

  private static func moves(
    of names: [String], into pool: [String], using random: inout some RandomNumberGenerator
  ) -> Moves {
    var moves = Moves()
    var free = pool
    if Bool.random(using: &random) {
      // Names that pass on to each other.
      free.shuffle(using: &random)
      free.sort { names.contains($0) && !names.contains($1) }
    } else {
      free.shuffle(using: &random)
    }
    for name in names.shuffled(using: &random) {
      if Int.random(in: 0..<6, using: &random) == 0 {
        moves.gone.insert(name)
        continue
      }
      let stays = Int.random(in: 0..<3, using: &random) == 0 && free.contains(name)
      let present = stays ? name : free[0]
      free.removeAll { $0 == present }
      moves.present[name] = present
    }
    // A new name may be one that has moved away. One that is gone would go on by its name.
    moves.new = free.filter {
      !moves.gone.contains($0) && Int.random(in: 0..<3, using: &random) == 0
    }
    return moves
  }
}

extension RandomRenaming.Moves {
  /// The present names with the former ones, as `NamedModel` takes them.
  fileprivate var words: [String] {
    present.map { $0.value == $0.key ? $0.value : "\($0.value)<\($0.key)" }.sorted() + new
  }

  fileprivate var counts: RandomRenaming.Counts {
    var counts = RandomRenaming.Counts()
    for (name, later) in present where name != later {
      // The names that the data of this one's new name, and of the next, go on under.
      var (length, next) = (1, later)
      while next != name, let following = present[next], length <= present.count {
        (length, next) = (length + 1, following)
      }
      if next == name {
        if length == 2 { counts.exchanges += 1 } else { counts.circles += 1 }
      } else if present[later] != nil || gone.contains(later) || formerName(of: name) != nil
        || new.contains(name)
      {
        counts.shifts += 1
      } else {
        counts.single += 1
      }
    }
    return counts
  }
}
