// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
import StrataRecord

/// The JSON of a `Codable` value in a fixture. It is decoded and encoded again: members that the
/// type does not know, escapes and forms of numbers would otherwise remain in the stored bytes.
enum EncodedFixture {
  /// The value as code that sets it stores it.
  ///
  /// - Throws: if the type does not decode the JSON; the reason names the place in the value.
  static func value<Value: Codable>(
    of json: Data, as type: Value.Type
  ) throws(DeclaredType.Refusal) -> PropertyValue {
    let value: Value
    do {
      value = try _CodableCoding.decode(type, from: json)
    } catch {
      throw refusal(of: type, reason(of: error))
    }
    do {
      return .codable(try _CodableCoding.encode(value))
    } catch {
      throw refusal(of: type, "its encode(to:) throws")
    }
  }

  private static func refusal(of type: Any.Type, _ reason: String) -> DeclaredType.Refusal {
    DeclaredType.Refusal(expected: "JSON of \(type), but \(reason)")
  }

  private static func reason(of error: any Error) -> String {
    switch error as? DecodingError {
    case .keyNotFound(let key, let context):
      "\(place(context.codingPath + [key])) is missing"
    case .valueNotFound(_, let context): "\(place(context.codingPath)) is null"
    case .typeMismatch(let type, let context): "\(place(context.codingPath)) is not \(name(type))"
    // A number that is out of bounds, or a case that an enum does not have.
    case .dataCorrupted(let context):
      context.codingPath.isEmpty
        ? "a value in it does not fit" : "\(place(context.codingPath)) does not fit"
    default: "its init(from:) throws"
    }
  }

  /// The place in a value: `stops[1].name`.
  private static func place(_ path: [any CodingKey]) -> String {
    if path.isEmpty { return "the whole" }
    var text = ""
    for key in path {
      if let index = key.intValue {
        text += "[\(index)]"
      } else {
        text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
      }
    }
    return text
  }

  /// The type in words of JSON, where decoders name another.
  private static func name(_ type: Any.Type) -> String {
    if type == [String: Any].self { return "an object" }
    return type == [Any].self ? "an array" : "of type \(type)"
  }
}
