// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataDump

/// The JSON of a fixture as a list of objects, in the order of the text. Its names are not compared
/// with a model.
struct FixtureDocument: Sendable {
  struct Object: Sendable {
    let entity: String
    /// The name that others call it by; nil for an object of an array.
    let name: String?
    /// The object in texts of mistakes: `City zurich`, `Language 3`.
    let place: String
    let properties: [JSONValue.Member]
  }

  let objects: [Object]
  /// The names of entities, also of those that have no objects here.
  let entities: [String]

  /// - Throws: `FixtureError` with every mistake of the form.
  init(_ json: Data) throws(FixtureError) {
    let root: JSONValue
    do throws(JSONParser.Failure) {
      root = try JSONParser.value(of: Array(json)[...])
    } catch {
      throw FixtureError([.notJSON(offset: error.offset, expected: error.expected)])
    }
    guard let entities = root.members else {
      throw FixtureError([.unfitForm(part: nil, expected: "an object with entities")])
    }
    var objects: [Object] = []
    var mistakes: [FixtureError.Mistake] = []
    var names: Set<String> = []
    for entity in entities {
      for (name, place, value) in Self.entries(of: entity, &mistakes) {
        if let name, !names.insert(name).inserted { mistakes.append(.repeatedName(name)) }
        guard let properties = value.members else {
          mistakes.append(.unfitForm(part: place, expected: "an object with properties"))
          continue
        }
        objects.append(
          Object(entity: entity.name, name: name, place: place, properties: properties))
      }
    }
    guard mistakes.isEmpty else { throw FixtureError(mistakes) }
    self.objects = objects
    self.entities = entities.map(\.name)
  }

  private static func entries(
    of entity: JSONValue.Member, _ mistakes: inout [FixtureError.Mistake]
  ) -> [(name: String?, place: String, value: JSONValue)] {
    switch entity.value {
    case .object(let members):
      return members.map { ($0.name, "\(entity.name) \($0.name)", $0.value) }
    case .array(let elements):
      return elements.enumerated().map { (nil, "\(entity.name) \($0 + 1)", $1) }
    default:
      mistakes.append(
        .unfitForm(part: entity.name, expected: "an object with named objects, or an array"))
      return []
    }
  }
}
