// SPDX-License-Identifier: Apache-2.0

/// The beginning of a sequence. Its text is the first line of a sequence: `policy object, checked C
/// error, confined C, inner G, automatic D, looks held`.
package struct Setup: Hashable, Sendable, CustomStringConvertible {
  /// Where a context lives.
  package enum Home: String, Sendable {
    /// A `ContextQueue`.
    case queue
    /// Made where the test runs.
    case confined
    /// Made and used inside its parent's isolation, in the parent's turns.
    case inner
  }

  package var policy = Policy.error
  /// The policies of contexts whose saves to their parents are checked.
  package var checked: [Place: Policy] = [:]
  /// Each context that is no queue.
  package var homes: [Place: Home] = [:]
  /// The contexts that merge automatically.
  package var automatic: Set<Place> = []
  /// The contexts that have an undo manager.
  package var undoable: Set<Place> = []
  /// Whether every context is read wholly after each step, or only the objects that the program
  /// holds in it.
  package var looksAtAll = true
  /// Whether the rival is on another coordinator of the same file.
  package var isShared = false
  /// Groups of comparisons that are left out.
  package var without: Set<Group> = []

  package init() {}

  package func home(_ place: Place) -> Home { homes[place] ?? .queue }

  package var description: String {
    var parts = ["policy \(policy.rawValue)"]
    for (place, policy) in checked.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      parts.append("checked \(place.letter) \(policy.rawValue)")
    }
    for home in [Home.confined, .inner] {
      let places = Place.allCases.filter { homes[$0] == home }
      if !places.isEmpty {
        parts.append("\(home.rawValue) \(places.map(\.letter).joined(separator: " "))")
      }
    }
    if !automatic.isEmpty {
      let places = Place.allCases.filter(automatic.contains)
      parts.append("automatic \(places.map(\.letter).joined(separator: " "))")
    }
    if !undoable.isEmpty {
      let places = Place.allCases.filter(undoable.contains)
      parts.append("undo \(places.map(\.letter).joined(separator: " "))")
    }
    if isShared { parts.append("shared") }
    if !without.isEmpty {
      let names = without.map(\.rawValue).sorted().joined(separator: " ")
      parts.append("without \(names)")
    }
    parts.append("looks \(looksAtAll ? "all" : "held")")
    return parts.joined(separator: ", ")
  }

  /// - Returns: nil if the text is no setup.
  package init?(_ text: some StringProtocol) {
    for part in text.split(separator: ",") {
      let words = part.split(separator: " ")
      guard let first = words.first else { return nil }
      let places = words.dropFirst().compactMap { Place(letter: $0) }
      switch first {
      case "policy":
        guard words.count == 2, let policy = Policy(rawValue: String(words[1])) else { return nil }
        self.policy = policy
      case "checked":
        guard words.count == 3, let place = places.first,
          let policy = Policy(rawValue: String(words[2]))
        else { return nil }
        checked[place] = policy
      case "confined": for place in places { homes[place] = .confined }
      case "inner": for place in places { homes[place] = .inner }
      case "automatic": automatic = Set(places)
      case "undo": undoable = Set(places)
      case "shared": isShared = true
      case "without": without = Set(words.dropFirst().compactMap { Group(rawValue: String($0)) })
      case "looks": looksAtAll = words.last == "all"
      default: return nil
      }
    }
  }
}
