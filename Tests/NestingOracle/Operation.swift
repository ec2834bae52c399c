// SPDX-License-Identifier: Apache-2.0

/// One step of a sequence: one turn of one context, or one save. Its text is what a failure prints
/// and what a fixed sequence is written in: `set C x a`, `link C x y`, `link C x -`, `save R`.
package struct Operation: Hashable, Sendable, CustomStringConvertible {
  package enum Name: String, CaseIterable, Sendable {
    /// Set an attribute: `set C x a`, with a value that was never there before.
    case set
    /// Link an object to its owner: `link C x y`, `link C x -`.
    case link
    /// Link the two ends of a one-to-one relationship: `pair C x y`, `pair C x -`.
    case pair
    case insert, delete
    /// Keep an object, and let it go.
    case hold, release
    /// Read one object, and all by a fetch.
    case read, fetch
    case rollback
    /// `refresh(_:mergeChanges:)` with false and with true.
    case revert, refresh
    /// Catch up as a context that merges automatically.
    case merge
    case save
    /// The two halves of a save to the store.
    case begin, finish
  }

  package var name: Name
  package var place: Place
  package var key: Int?
  package var slot: Slot?
  package var target: Int?

  package init(
    _ name: Name, _ place: Place, _ key: Int? = nil, slot: Slot? = nil, target: Int? = nil
  ) {
    (self.name, self.place, self.key, self.slot, self.target) = (name, place, key, slot, target)
  }

  /// The letters by which sequences name objects. The store has the first to begin with.
  package static let letters = Array("xyzuvw")

  package static func letter(_ key: Int) -> String { String(letters[key]) }

  package var description: String {
    var words = [name.rawValue, place.letter]
    if let key { words.append(Self.letter(key)) }
    switch name {
    case .set: if let slot { words.append(slot.name) }
    case .link, .pair: words.append(target.map(Self.letter) ?? "-")
    default: break
    }
    return words.joined(separator: " ")
  }

  /// - Returns: nil if the text is no operation.
  package init?(_ text: some StringProtocol) {
    let words = text.split(separator: " ")
    guard words.count >= 2, let name = Name(rawValue: String(words[0])),
      let place = Place(letter: words[1])
    else { return nil }
    self.init(name, place)
    if words.count > 2 {
      guard let key = Self.letters.firstIndex(of: Character(String(words[2]))) else { return nil }
      self.key = key
    }
    guard words.count > 3 else { return }
    switch name {
    case .set: slot = Slot.allCases.first { $0.name == words[3] }
    default: target = Self.letters.firstIndex(of: Character(String(words[3])))
    }
  }
}
