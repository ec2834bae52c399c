// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel

/// Splits a format string into tokens. O(length).
///
/// The lexer reads scalars and not characters: an accent after a quotation mark is part of the
/// text.
struct FormatLexer {
  private let scalars: [Unicode.Scalar]
  private var index = 0

  init(_ format: String) { scalars = Array(format.unicodeScalars) }

  /// Signs of two characters come before the signs of one character that are their prefixes.
  private static let signs = [
    "==", "=<", "=>", "!=", "<>", "<=", ">=", "&&", "||", "**", "=", "<", ">", "!", "(", ")", "{",
    "}", "[", "]", ",", ".", "+", "-", "*", "/",
  ].map { Array($0.unicodeScalars) }

  /// Returns all tokens. The last one is the end.
  mutating func tokens() throws(PredicateFormatError) -> [FormatToken] {
    var tokens: [FormatToken] = []
    repeat { tokens.append(try next()) } while tokens.last?.kind != .end
    return tokens
  }

  private mutating func next() throws(PredicateFormatError) -> FormatToken {
    while let scalar = peek, scalar.properties.isWhitespace { index += 1 }
    let start = index
    guard let scalar = peek else { return FormatToken(kind: .end, start: start) }
    let kind: FormatToken.Kind
    switch scalar {
    case "\"", "'": kind = .text(try text(endingWith: scalar))
    case "$": kind = .variable(try marked("the name of a variable"))
    case "#": kind = .name(try marked("a name"))
    case "@": kind = .collectionOperator(try marked("count, sum, min, max or avg"))
    case "%": kind = .placeholder(try placeholder())
    case _ where Self.isDigit(scalar): kind = .number(try number())
    case "." where peek(1).map(Self.isDigit) == true: kind = .number(try number())
    case _ where Self.isLetter(scalar): kind = .word(word())
    default: kind = .sign(try sign())
    }
    return FormatToken(kind: kind, start: start)
  }

  // MARK: - Words and signs

  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_" || scalar.properties.isAlphabetic
  }

  private var peek: Unicode.Scalar? { peek(0) }

  private func peek(_ distance: Int) -> Unicode.Scalar? {
    index + distance < scalars.count ? scalars[index + distance] : nil
  }

  private mutating func word() -> String {
    string { scalar in
      Self.isLetter(scalar) || Self.isDigit(scalar)
        || scalar.properties.generalCategory == .nonspacingMark
    }
  }

  private mutating func string(while isPart: (Unicode.Scalar) -> Bool) -> String {
    var text = String.UnicodeScalarView()
    while let scalar = peek, isPart(scalar) {
      text.append(scalar)
      index += 1
    }
    return String(text)
  }

  /// Reads the word after a mark.
  private mutating func marked(_ expected: String) throws(PredicateFormatError) -> String {
    index += 1
    guard let scalar = peek, Self.isLetter(scalar) else { throw unexpected(expected) }
    return word()
  }

  /// Reads `%@`, `%K`, or a printf specifier of numbers with its length: `%lld`.
  private mutating func placeholder() throws(PredicateFormatError) -> String {
    index += 1
    if let scalar = peek, scalar == "@" || scalar == "K" {
      index += 1
      return String(scalar)
    }
    let length = string { "lhqzjt".unicodeScalars.contains($0) }
    guard let letter = peek, "diuxXofFeEgG".unicodeScalars.contains(letter) else {
      throw unexpected("@, K, d, f or another letter of an argument")
    }
    index += 1
    return length + String(letter)
  }

  private mutating func sign() throws(PredicateFormatError) -> String {
    for sign in Self.signs where scalars[index...].starts(with: sign) {
      index += sign.count
      return String(String.UnicodeScalarView(sign))
    }
    throw unexpected("a condition")
  }

  // MARK: - Numbers

  private mutating func number() throws(PredicateFormatError) -> PropertyValue {
    let start = index
    if peek == "0", let mark = peek(1), let radix = Self.radices[mark] {
      index += 2
      let digits = string { Self.isDigit($0) || Self.isLetter($0) }
      guard let number = UInt64(digits, radix: radix) else {
        throw invalidNumber(start)
      }
      return Self.integer(number)
    }
    var text = string(while: Self.isDigit)
    var isWhole = true
    if peek == ".", peek(1).map(Self.isDigit) == true {
      isWhole = false
      index += 1
      text += "." + string(while: Self.isDigit)
    }
    if peek == "e" || peek == "E" {
      let hasSign = peek(1) == "+" || peek(1) == "-"
      if peek(hasSign ? 2 : 1).map(Self.isDigit) == true {
        isWhole = false
        text += hasSign ? "e" + String(scalars[index + 1]) : "e"
        index += hasSign ? 2 : 1
        text += string(while: Self.isDigit)
      }
    }
    if let scalar = peek, Self.isLetter(scalar) { throw invalidNumber(start) }
    if isWhole, let number = UInt64(text) { return Self.integer(number) }
    guard let number = Double(text.first == "." ? "0" + text : text) else {
      throw invalidNumber(start)
    }
    return .double(number)
  }

  private static let radices: [Unicode.Scalar: Int] = [
    "x": 16, "X": 16, "o": 8, "O": 8, "b": 2, "B": 2,
  ]

  private static func integer(_ number: UInt64) -> PropertyValue {
    Int64(exactly: number).map(PropertyValue.int) ?? .uint(number)
  }

  private func invalidNumber(_ start: Int) -> PredicateFormatError {
    error(at: start, found: "digits that are not a number", expected: "a number")
  }

  // MARK: - Texts

  private mutating func text(
    endingWith quote: Unicode.Scalar
  ) throws(PredicateFormatError) -> String {
    index += 1
    var text = String.UnicodeScalarView()
    while let scalar = peek {
      index += 1
      if scalar == quote { return String(text) }
      text.append(scalar == "\\" ? try escaped() : scalar)
    }
    throw unexpected("a closing quotation mark")
  }

  /// Reads the character of an escape sequence, after its backslash.
  private mutating func escaped() throws(PredicateFormatError) -> Unicode.Scalar {
    guard let scalar = peek else { throw unexpectedInText("the rest of a text") }
    index += 1
    switch scalar {
    case "\\", "\"", "'": return scalar
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "0": return "\0"
    case "u":
      var digits = ""
      while digits.utf8.count < 4, let digit = peek, digit.properties.isASCIIHexDigit {
        digits.unicodeScalars.append(digit)
        index += 1
      }
      if digits.utf8.count == 4, let number = UInt32(digits, radix: 16),
        let scalar = Unicode.Scalar(number)
      {
        return scalar
      }
      throw unexpectedInText("four hexadecimal digits of a character")
    default:
      index -= 1
      throw unexpectedInText("one of \\ \" ' n r t 0 u after a backslash")
    }
  }

  // MARK: - Errors

  private func unexpected(_ expected: String) -> PredicateFormatError {
    error(at: index, found: peek.map { "“\($0)”" } ?? "the end", expected: expected)
  }

  /// Creates an error inside of quotation marks. The user's text is not shown.
  private func unexpectedInText(_ expected: String) -> PredicateFormatError {
    error(at: index, found: peek == nil ? "the end" : "a character", expected: expected)
  }

  /// Creates an error.
  ///
  /// - Parameter start: the position in scalars. The error has the position in characters.
  func error(at start: Int, found: String, expected: String) -> PredicateFormatError {
    let before = String(String.UnicodeScalarView(scalars[..<min(start, scalars.count)]))
    return PredicateFormatError(position: before.count, found: found, expected: expected)
  }
}
