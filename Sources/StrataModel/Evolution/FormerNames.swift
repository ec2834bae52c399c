// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The `originalName`s that a store has carried out. An `originalName` moves data once: the store
/// may be opened again, and later models may still have it.
///
/// An earlier release noted none. Its store may have been opened with `b`, which was `a`, and a new
/// `a`, and may have left the data of `a` where it was: such a store looks as one whose data waits
/// to be moved. So the names of such a store are *unsure*, until they continue another name.
///
/// Names are `Entity`, and `Entity.property` with the entity that declares the property.
package struct FormerNames: Sendable, Hashable {
  /// Whether the data of a name that a store has is to be replaced by the data of a former name.
  enum Past {
    case carriedOut
    case awaited
    case unknown
  }

  /// The former names that a name has continued.
  private var names: [String: Set<String>] = [:]
  private var unsure: Set<String> = []

  package init() {}

  /// The former names in a new store, whose data has its names from the start.
  package init(newStoreOf model: ManagedObjectModel) { note(model, in: model) }

  /// The former names in a store of an earlier release.
  package init(unsureOf outline: ModelOutline) {
    for entity in outline.entities {
      unsure.insert(entity.name)
      for property in entity.attributes.map(\.name) + entity.relationships.map(\.name) {
        unsure.insert("\(entity.name).\(property)")
      }
    }
  }

  /// The past of a name that the store has.
  func past(of name: String, _ former: String) -> Past {
    if names[name]?.contains(former) == true { return .carriedOut }
    return unsure.contains(name) ? .unknown : .awaited
  }

  func isUnsure(of name: String) -> Bool { unsure.contains(name) }

  /// Takes over the former names of a name that may be another one now.
  mutating func take(_ former: String, of other: FormerNames, as name: String) {
    guard let noted = other.names[former] else { return }
    names[name, default: []].formUnion(noted)
  }

  mutating func noteUnsure(_ name: String) { unsure.insert(name) }

  /// Notes all former names of a model as carried out.
  ///
  /// - Parameter present: the model of the store. Its names alone are noted.
  package mutating func note(_ model: ManagedObjectModel, in present: ManagedObjectModel) {
    for entity in model.entities {
      guard let known = present.entity(named: entity.name) else { continue }
      if let former = entity.originalName, former != entity.name {
        names[entity.name, default: []].insert(former)
      }
      for property in entity.ownProperties {
        guard let former = property.originalName, former != property.name,
          known.ownProperties.contains(where: { $0.name == property.name })
        else { continue }
        names["\(entity.name).\(property.name)", default: []].insert(former)
      }
    }
  }
}

// MARK: - As a store keeps them

extension FormerNames {
  private struct Form: Decodable {
    let names: [String: [String]]?
    let unsure: [String]?
    let version: UInt16
  }

  /// JSON with sorted keys.
  ///
  /// - Parameter version: how many models the store has had.
  package func text(ofVersion version: UInt16) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      if !names.isEmpty {
        json.member("names") { json in
          json.object { json in
            for (name, former) in names.sorted(by: { $0.key < $1.key }) {
              json.member(name) { $0.array(former.sorted()) }
            }
          }
        }
      }
      if !unsure.isEmpty { json.member("unsure") { $0.array(unsure.sorted()) } }
      json.member("version", version)
    }
    return json.text
  }

  /// - Parameters:
  ///   - text: nil if the store has none.
  ///   - outline: the model of the store.
  ///   - version: how many models the store has had. If the text is of another version, an earlier
  ///     release has changed the model since.
  /// - Throws: `DecodingError`.
  package init(_ text: [UInt8]?, of outline: ModelOutline, version: UInt16) throws {
    let known = try text.flatMap { try FormerNames(known: $0, version: version) }
    self = known ?? FormerNames(unsureOf: outline)
  }

  /// - Returns: nil if the text is of another version.
  /// - Throws: `DecodingError`.
  package init?(known text: [UInt8], version: UInt16) throws {
    let form = try JSONDecoder().decode(Form.self, from: Data(text))
    guard form.version == version else { return nil }
    names = (form.names ?? [:]).mapValues(Set.init)
    unsure = Set(form.unsure ?? [])
  }
}
