// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataRecord

/// A value of a fixture passes through the Swift type of its property, so that a fixture can set
/// the same values as code, and the store gets the same bytes.
extension DeclaredType {
  /// The type does not have the value.
  struct Refusal: Error {
    /// The allowed values, for texts.
    let expected: String
  }

  /// The value as code that sets it stores it, also if the type is `Codable` and the value is JSON
  /// that was written by hand.
  ///
  /// - Parameter value: a value of the attribute's type, not `.null`.
  func stored(_ value: PropertyValue) throws(Refusal) -> PropertyValue {
    if case .codable(let data) = value, let type = type as? any Codable.Type,
      !(type is any AttributeValue.Type)
    {
      return try EncodedFixture.value(of: data, as: type)
    }
    guard let stored = self.value(of: value) else { throw refusal }
    return stored
  }

  /// The values of an enum; nil for other types, whose values their `AttributeType` describes.
  var form: String? {
    rawType == nil ? nil : expected
  }

  // MARK: - For texts

  private var refusal: Refusal { Refusal(expected: expected) }

  private var expected: String {
    let name = "a value of \(type)"
    guard let type = type as? any CaseIterable.Type, let cases = Self.cases(of: type) else {
      return "\(name), as \(FixtureValue.form(of: attributeType))"
    }
    return "\(name): \(cases)"
  }

  /// How many cases of an enum a text shows.
  private static let caseCountMax = 16

  /// The raw values of an enum, `"capital" or "port"`; nil if it has none.
  private static func cases<T: CaseIterable>(of _: T.Type) -> String? {
    var shown = T.allCases.prefix(caseCountMax + 1).compactMap { known in
      (known as? any RawRepresentable).flatMap { $0.rawValue as? any AttributeValue }?
        .value.shownText
    }
    guard let last = shown.popLast() else { return nil }
    if shown.count == caseCountMax { return "\(shown.joined(separator: ", ")), …" }
    return shown.isEmpty ? last : "\(shown.joined(separator: ", ")) or \(last)"
  }
}
