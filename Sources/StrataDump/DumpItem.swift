// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
package import StrataModel
import StrataRecord
package import StrataStore

/// An object in a dump: the name of its entity and its serial, `City/5`.
package struct DumpedID: Hashable, Sendable {
  package let entity: String
  package let serial: UInt64

  package init(entity: String, serial: UInt64) {
    self.entity = entity
    self.serial = serial
  }

  package init?(_ text: String) {
    guard let slash = text.lastIndex(of: "/"),
      let serial = UInt64(text[text.index(after: slash)...]),
      1...ObjectKey.serialMax ~= serial
    else { return nil }
    self.init(entity: String(text[..<slash]), serial: serial)
  }

  package var text: String { "\(entity)/\(serial)" }
}

/// One line of a dump. The lines come in the order of the cases: a dump is loaded while it is read,
/// and each link leads to objects of former lines.
///
/// | line | content |
/// | --- | --- |
/// | `{"strata":"dump","version":1,…}` | the blueprint of the store |
/// | `{"object":"City/5","values":{…}}` | the attributes that have a value: `DumpedValue` |
/// | `{"links":"City/5","targets":{…}}` | the to-one relationships that have a target |
/// | `{"links":"City/5","property":"tags","members":[…]}` | up to 1,000 members, in their order |
/// | `{"end":…}` | the number of objects: a dump that was cut has no such line |
///
/// An attribute that was never set has no value here, as in a record, even if it is not optional.
/// It reads as its default, or as zero.
///
/// A to-many relationship has lines if it is ordered, or if its inverse does not have all of its
/// links.
package enum DumpItem {
  case header(StoreBlueprint)
  case object(DumpedID, [(name: String, value: PropertyValue)])
  case targets(DumpedID, [(name: String, target: DumpedID)])
  case members(DumpedID, property: String, [DumpedID])
  case end(objectCount: Int)

  static let version = 1
  /// The maximum number of JSON values in a line: more than the header with the largest model has.
  package static let valueCountMax = 1 << 20
}

// MARK: - As JSON

extension DumpItem {
  package var json: JSONValue {
    get throws {
      switch self {
      case .header(let blueprint): try Self.json(blueprint)
      case .object(let id, let values):
        .object([
          "object": .string(id.text),
          "values": .object(
            values.map { JSONValue.Member(name: $0.name, value: DumpedValue.json($0.value)) }),
        ])
      case .targets(let id, let targets):
        .object([
          "links": .string(id.text),
          "targets": .object(
            targets.map { JSONValue.Member(name: $0.name, value: .string($0.target.text)) }),
        ])
      case .members(let id, let property, let members):
        .object([
          "links": .string(id.text), "property": .string(property),
          "members": .strings(members.map(\.text)),
        ])
      case .end(let count): .object(["end": .object(["objects": .integer(count)])])
      }
    }
  }

  private static func json(_ blueprint: StoreBlueprint) throws -> JSONValue {
    let model = try ManagedObjectModel(blueprint.outline, class: ManagedObject.self)
    return .object([
      "strata": .string("dump"), "version": .integer(version),
      "store": .string(blueprint.uuid.uuidString),
      "nextSerial": .integer(blueprint.firstFreeSerial),
      "stage": blueprint.stage.map { .string(String($0, radix: 16)) },
      "model": ModelDocument(model).json,
      "numbers": try JSONParser.value(of: blueprint.numbers.text[...]),
      "former": try blueprint.formerNames.map {
        try JSONParser.value(of: $0.text(ofVersion: 1)[...])
      },
      "metadata": .object(
        blueprint.values.sorted { $0.key < $1.key }.map {
          JSONValue.Member(name: $0.key, value: .string($0.value.base64EncodedString()))
        }),
    ])
  }

  /// - Parameter model: the model of the header; nil before it.
  /// - Throws: `DumpMistake`.
  package init(_ json: JSONValue, in model: ManagedObjectModel?) throws {
    if json["strata"] != nil {
      self = .header(try Self.blueprint(json))
      return
    }
    guard let model else { throw DumpMistake("the first line is not the header of a dump") }
    if let id = json["object"] {
      self = try Self.object(Self.id(id, in: model), json, in: model)
    } else if let id = json["links"] {
      self = try Self.links(of: Self.id(id, in: model), json, in: model)
    } else if let end = json["end"] {
      guard let count = end["objects"]?.integer(as: Int.self) else {
        throw DumpMistake("the end has no number of objects")
      }
      self = .end(objectCount: count)
    } else {
      throw DumpMistake("it has neither “object”, “links” nor “end”")
    }
  }

  private static func blueprint(_ json: JSONValue) throws -> StoreBlueprint {
    guard json["strata"]?.string == "dump", let version = json["version"]?.integer(as: Int.self)
    else { throw DumpMistake("it is not the header of a dump") }
    guard version == Self.version else {
      throw DumpMistake("it has version \(version), and this tool reads \(Self.version)")
    }
    let model: ManagedObjectModel
    do {
      model = try ModelDocument(json["model"] ?? .null).model(checksNames: false)
    } catch let failure as ModelDocument.Failure {
      throw DumpMistake("the model: \(failure.reason)")
    } catch {
      throw DumpMistake("the model makes no sense: \(error)")
    }
    var values: [String: Data] = [:]
    for member in json["metadata"]?.members ?? [] {
      guard let data = member.value.string.flatMap({ Data(base64Encoded: $0) }) else {
        throw DumpMistake("a value of the metadata is not in base 64")
      }
      values[member.name] = data
    }
    let formerNames: FormerNames?
    do {
      formerNames = try json["former"].flatMap {
        try FormerNames(known: Array($0.text.utf8), version: 1)
      }
    } catch {
      throw DumpMistake("the former names cannot be decoded")
    }
    let stage = json["stage"]?.string.flatMap { UInt64($0, radix: 16) }
    guard let store = json["store"]?.string.flatMap(UUID.init(uuidString:)),
      let serial = json["nextSerial"]?.integer(as: UInt64.self),
      serial < ObjectKey.unsavedSerialMin,
      let numbers = json["numbers"].flatMap({
        try? JSONDecoder().decode(SchemaNumbers.self, from: Data($0.text.utf8))
      }),
      let blueprint = StoreBlueprint(
        uuid: store, model: model, numbers: numbers, formerNames: formerNames,
        firstFreeSerial: serial, stage: stage, values: values)
    else { throw DumpMistake("a part of the header is missing, or does not fit the model") }
    return blueprint
  }

  private static func object(
    _ id: DumpedID, _ json: JSONValue, in model: ManagedObjectModel
  ) throws -> DumpItem {
    var values: [(name: String, value: PropertyValue)] = []
    let entity = model.entity(named: id.entity)
    for member in json["values"]?.members ?? [] {
      guard let slot = entity?.slot(named: member.name),
        let attribute = entity?.properties[slot].attribute
      else { throw DumpMistake("\(id.entity) has no attribute \(member.name)") }
      guard let value = DumpedValue.value(of: member.value, as: attribute.type) else {
        throw DumpMistake("the value of \(member.name) is not of type \(attribute.type)")
      }
      values.append((member.name, value))
    }
    return .object(id, values)
  }

  private static func links(
    of id: DumpedID, _ json: JSONValue, in model: ManagedObjectModel
  ) throws -> DumpItem {
    guard let property = json["property"] else {
      return .targets(
        id, try (json["targets"]?.members ?? []).map { ($0.name, try Self.id($0.value, in: model)) }
      )
    }
    guard let name = property.string, let members = json["members"]?.elements else {
      throw DumpMistake("the links have no property or no members")
    }
    return .members(id, property: name, try members.map { try Self.id($0, in: model) })
  }

  private static func id(
    _ json: JSONValue, in model: ManagedObjectModel
  ) throws -> DumpedID {
    guard let id = json.string.flatMap(DumpedID.init) else {
      throw DumpMistake("an ID is not an entity and a serial, as in “City/5”")
    }
    guard model.entity(named: id.entity) != nil else {
      throw DumpMistake("the model has no entity \(id.entity)")
    }
    return id
  }
}

/// The reason why a line of a dump cannot be used. Values are not part of it.
package struct DumpMistake: Error, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}
