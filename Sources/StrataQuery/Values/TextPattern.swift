// SPDX-License-Identifier: Apache-2.0

/// A pattern with wildcards: `?` stands for one character, `*` for any number of them, and a
/// backslash before one of these or another backslash takes it for itself. Core Data: LIKE.
///
/// Characters are Swift's, by canonical equivalence.
package struct TextPattern: Sendable {
  private enum Part: Sendable {
    case one(Character)
    case anyOne
    case anyNumber
  }

  private let parts: [Part]
  private let options: TextOptions
  /// What every text that matches begins with.
  package let prefix: String
  /// Whether it is all that there is: nothing but a text to be equal to.
  package let isLiteral: Bool

  package init(_ pattern: String, _ options: TextOptions) {
    var parts: [Part] = []
    var isEscaped = false
    for character in pattern {
      switch character {
      case "\\" where !isEscaped:
        isEscaped = true
        continue
      case "?" where !isEscaped: parts.append(.anyOne)
      case "*" where !isEscaped: parts.append(.anyNumber)
      default:
        // A backslash before anything else is one.
        if isEscaped, !"\\?*".contains(character) { parts.append(.one("\\")) }
        parts += options.folded(String(character)).map(Part.one)
      }
      isEscaped = false
    }
    if isEscaped { parts.append(.one("\\")) }
    var prefix = ""
    for part in parts {
      guard case .one(let character) = part else { break }
      prefix.append(character)
    }
    self.parts = parts
    self.options = options
    self.prefix = prefix
    isLiteral = prefix.count == parts.count
  }

  /// Whether the whole of `text` matches. O(length of text · length of pattern).
  package func matches(_ text: String) -> Bool {
    let characters = Array(options.folded(text))
    var (index, part) = (0, 0)
    // Where to go on if what follows the last `*` does not match: it takes one character more.
    var retry: (index: Int, part: Int)?
    while index < characters.count {
      if part < parts.count, case .anyNumber = parts[part] {
        part += 1
        retry = (index, part)
      } else if part < parts.count, matches(characters[index], parts[part]) {
        index += 1
        part += 1
      } else if let last = retry {
        retry = (last.index + 1, last.part)
        (index, part) = (last.index + 1, last.part)
      } else {
        return false
      }
    }
    return parts[part...].allSatisfy { if case .anyNumber = $0 { true } else { false } }
  }

  private func matches(_ character: Character, _ part: Part) -> Bool {
    if case .one(let other) = part { return character == other }
    return true
  }
}
