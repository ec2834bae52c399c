// SPDX-License-Identifier: Apache-2.0

/// One step of a sequence: one turn of one context, or one save. Its text is printed with a
/// failure, and fixed sequences are written in it: `set C x a`, `link C x y`, `link C x -`, `save
/// R`.
package struct Operation: Hashable, Sendable, CustomStringConvertible {
  package enum Name: String, CaseIterable, Sendable {
    /// Set an attribute: `set C x a`, with a value that was never there before.
    case set
    /// Set the unique attribute, to one of two values or to nil: `code C x 1`, `code C x -`.
    case code
    /// Link an object to its owner: `link C x y`, `link C x -`.
    case link
    /// Make an object part of another, with which it is deleted: `part C x y`, `part C x -`.
    case part
    /// Link the two ends of a one-to-one relationship: `pair C x y`, `pair C x -`.
    case pair
    /// Add a link of many to many, and remove one: `like C x y`, `unlike C x y`.
    case like, unlike
    /// Put a member last in a list, or first, and remove one.
    case stop, lead, unstop
    case insert, delete
    /// Keep an object, and let it go.
    case hold, release
    /// Read one object, and all by a fetch.
    case read, fetch
    case rollback, reset, undo, redo
    /// `refresh(_:mergeChanges:)` with false and with true.
    case revert, refresh
    /// `refreshAllObjects()`.
    case refreshAll
    /// Catch up as a context that merges automatically.
    case merge
    /// Rest on the state of now, and on the newest one again.
    case pin, unpin
    case save
    /// A save through all ancestors to the store.
    case through
    /// A save to a parent that is in a turn, from another thread: `set R x a; + hand C; + set R x
    /// b`.
    case hand
    /// The two halves of a save to the store, through all ancestors if there are some.
    case begin, finish
  }

  package var name: Name
  package var place: Place
  package var key: Int?
  package var slot: Slot?
  package var target: Int?
  /// Done in a savepoint that throws, which takes an edit back, and no refresh: `fail set C x a`.
  package var isTakenBack = false
  /// Done in the turn of the step before, if need be inside a turn of its own context within that:
  /// `+ set C x a`.
  package var isJoined = false

  package init(
    _ name: Name, _ place: Place, _ key: Int? = nil, slot: Slot? = nil, target: Int? = nil
  ) {
    (self.name, self.place, self.key, self.slot, self.target) = (name, place, key, slot, target)
  }

  /// Whether it can be one of several steps in one turn.
  var canBeJoined: Bool {
    switch name {
    case .begin, .finish, .merge, .reset, .hold, .through: false
    default: true
    }
  }

  /// Whether it is done in the turn that another step has begun.
  ///
  /// No turn saves to the store twice: a context below would not see the store's state in between.
  func joins(_ first: Operation) -> Bool {
    if name == .save, first.name == .save, place.isRoot { return false }
    return sharesTurn(of: first)
  }

  private func sharesTurn(of first: Operation) -> Bool {
    isJoined && canBeJoined && first.canBeJoined && first.name != .hand
      && (place == first.place && name != .hand || first.place.below.contains(place))
  }

  /// The letters by which sequences name objects. The store has the first to begin with.
  package static let letters = Array("xyzuvw")

  package static func letter(_ key: Int) -> String { String(letters[key]) }

  package var description: String {
    var words = [name.rawValue, place.letter]
    if isTakenBack { words.insert("fail", at: 0) }
    if isJoined { words.insert("+", at: 0) }
    if let key { words.append(Self.letter(key)) }
    switch name {
    case .set: if let slot { words.append(slot.name) }
    case .code: words.append(target.map(String.init) ?? "-")
    case .link, .part, .pair, .like, .unlike, .stop, .lead, .unstop:
      words.append(target.map(Self.letter) ?? "-")
    default: break
    }
    return words.joined(separator: " ")
  }

  /// - Returns: nil if the text is no operation.
  package init?(_ text: some StringProtocol) {
    var words = text.split(separator: " ")[...]
    let isJoined = words.first == "+"
    if isJoined { words = words.dropFirst() }
    let isTakenBack = words.first == "fail"
    if isTakenBack { words = words.dropFirst() }
    words = Array(words)[...]
    guard words.count >= 2, let name = Name(rawValue: String(words[0])),
      let place = Place(letter: words[1])
    else { return nil }
    self.init(name, place)
    (self.isJoined, self.isTakenBack) = (isJoined, isTakenBack)
    if words.count > 2 {
      guard let key = Self.letters.firstIndex(of: Character(String(words[2]))) else { return nil }
      self.key = key
    }
    guard words.count > 3 else { return }
    switch name {
    case .code: target = Int(words[3])
    case .set: slot = Slot.allCases.first { $0.name == words[3] }
    default: target = Self.letters.firstIndex(of: Character(String(words[3])))
    }
  }
}
