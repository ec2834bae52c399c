// SPDX-License-Identifier: Apache-2.0

/// A pattern with wildcards: `?` stands for one character, `*` for any number of characters. A
/// backslash before a wildcard or a backslash makes it an ordinary character. Core Data: LIKE.
///
/// Characters are Swift's, compared by canonical equivalence.
package struct TextPattern: Sendable {
  private enum Part: Sendable {
    case one(Character)
    case anyOne
    case anyNumber
  }

  private let parts: [Part]
  private let options: TextOptions
  /// The common prefix of all texts that match.
  package let prefix: String

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
        // A backslash before another character is an ordinary character.
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
  }

  /// Whether the whole of `text` matches. O(length of text · length of pattern).
  package func matches(_ text: String) -> Bool {
    let characters = Array(options.folded(text))
    var (index, part) = (0, 0)
    // The state to resume if the rest after the last `*` does not match: the `*` then takes one
    // more character.
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
