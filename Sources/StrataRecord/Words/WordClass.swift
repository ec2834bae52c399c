// SPDX-License-Identifier: Apache-2.0

/// The class of a scalar for the boundaries of words: Word_Break of Unicode's Annex 29, as far as
/// the standard library knows the properties that it is made of.
///
/// | deviation | effect |
/// | --- | --- |
/// | Thai, Lao, Khmer, Myanmar and Tai letters are words by themselves | as Han and Hiragana |
/// | the narrow no-break space is a space | it separates words, as in a query |
/// | Hebrew letters are letters as others are | a quotation mark or an apostrophe ends the word |
/// | Katakana beyond the Basic Multilingual Plane are letters | historic forms alone |
/// | Emoji and regional indicators are not words | as punctuation, also behind a joiner |
///
/// All other cases of WordBreakTest.txt of Unicode 15.0, 1,817 of 1,823, have the same words.
enum WordClass: UInt8 {
  /// Space, punctuation, symbols: between words.
  case other
  /// Marks and format characters, which belong to the scalar before them: Extend, Format, ZWJ.
  case extending
  /// ALetter, Hebrew_Letter.
  case letter
  case numeric
  case katakana
  /// ExtendNumLet: the low line.
  case connector
  /// A word by itself: Han, Hiragana, letters of scripts without spaces.
  case single
  /// MidLetter: the colon, between letters.
  case midLetter
  /// MidNum: the comma, between digits.
  case midNumber
  /// MidNumLet and Single_Quote: full stop and apostrophe, between letters and between digits.
  case midBoth

  /// The classes of ASCII.
  static let ascii: [WordClass] = (0..<128).map { byte in
    switch UInt8(byte) {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): .letter
    case UInt8(ascii: "0")...UInt8(ascii: "9"): .numeric
    case UInt8(ascii: "_"): .connector
    case UInt8(ascii: ":"): .midLetter
    case UInt8(ascii: ","), UInt8(ascii: ";"): .midNumber
    case UInt8(ascii: "."), UInt8(ascii: "'"): .midBoth
    default: .other
    }
  }

  /// - Parameter scalar: beyond ASCII.
  init(_ scalar: Unicode.Scalar) {
    self =
      Self.common(scalar.value) ?? Self.punctuation(scalar.value) ?? Self.general(scalar)
  }

  /// The classes of the letters that most text consists of, without a look into Unicode's tables.
  private static func common(_ scalar: UInt32) -> WordClass? {
    switch scalar {
    case 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x24F: .letter  // Latin
    case 0x391...0x3A1, 0x3A3...0x3CE: .letter  // Greek
    case 0x400...0x481, 0x48A...0x52F: .letter  // Cyrillic
    case 0x5D0...0x5EA, 0x621...0x64A, 0x671...0x6D3: .letter  // Hebrew, Arabic
    case 0x1E00...0x1EFF: .letter  // Latin, Vietnamese
    case 0xAC00...0xD7A3: .letter  // Hangul
    case 0x3041...0x3096, 0x309D...0x309F: .single  // Hiragana
    case 0x4E00...0x9FFF, 0x3400...0x4DBF: .single  // Han
    case 0x30A0...0x30FA, 0x30FC...0x30FF: .katakana
    default: nil
    }
  }

  private static func punctuation(_ scalar: UInt32) -> WordClass? {
    switch scalar {
    case 0x3031...0x3035, 0x309B...0x309C, 0x31F0...0x31FF, 0x32D0...0x32FE, 0x3300...0x3357,
      0xFF66...0xFF9D:
      .katakana
    case 0x203F, 0x2040, 0x2054, 0xFE33, 0xFE34, 0xFE4D...0xFE4F, 0xFF3F: .connector
    case 0xB7, 0x387, 0x55F, 0x5F4, 0x2027, 0xFE13, 0xFE55, 0xFF1A: .midLetter
    case 0x37E, 0x589, 0x60C, 0x60D, 0x66C, 0x7F8, 0x2044, 0xFE10, 0xFE14, 0xFE50, 0xFE54, 0xFF0C,
      0xFF1B:
      .midNumber
    case 0x2018, 0x2019, 0x2024, 0xFE52, 0xFF07, 0xFF0E: .midBoth
    // Zero width space: the only format character that separates words.
    case 0x200B: .other
    default: nil
    }
  }

  private static func general(_ scalar: Unicode.Scalar) -> WordClass {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .spacingMark, .format: .extending
    case .decimalNumber: .numeric
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .letterNumber:
      scalar.properties.isIdeographic || isOfScriptWithoutSpaces(scalar.value) ? .single : .letter
    default: scalar.properties.isAlphabetic ? .letter : .other
    }
  }

  private static func isOfScriptWithoutSpaces(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0xE00...0xEFF: true  // Thai, Lao
    case 0x1000...0x109F, 0xA9E0...0xA9FF, 0xAA60...0xAA7F: true  // Myanmar
    case 0x1780...0x17FF: true  // Khmer
    case 0x1950...0x19DF, 0x1A20...0x1AAF, 0xAA80...0xAADF: true  // Tai
    default: false
    }
  }
}
