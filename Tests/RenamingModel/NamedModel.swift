// SPDX-License-Identifier: Apache-2.0
import Strata
package import StrataModel

/// A model of names only: entities of optional texts, and to-one relationships with an inverse.
///
///     NamedModel("F<E: b<a a", "G: x")
///
/// is an entity `F` that was `E`, with an attribute `b` that was `a` and an attribute `a`, and an
/// entity `G`. An exclamation mark behind an attribute's name makes an index of it.
package struct NamedModel: Sendable, CustomStringConvertible {
  package private(set) var outline = ModelOutline(entities: [])
  package private(set) var additions = OutlineAdditions()

  package init(_ lines: String...) { self.init(lines) }

  package init(_ lines: [String]) {
    description = lines.joined(separator: "; ")
    for line in lines {
      let parts = line.split(separator: ":", omittingEmptySubsequences: false)
      var (names, links) = ([ModelOutline.Attribute](), [ModelOutline.Relationship]())
      let entity = name(parts[0], of: nil)
      for word in (parts.count > 1 ? parts[1] : "").split(separator: " ") {
        // `x>G.xs` is a to-one relationship to G, `xs*E.x` its inverse.
        if let mark = word.firstIndex(where: { $0 == ">" || $0 == "*" }) {
          let inverse = String(word[word.index(after: mark)...])
          links.append(
            ModelOutline.Relationship(
              name: name(word[..<mark], of: entity), kind: word[mark] == ">" ? .toOne : .toMany,
              destination: String(inverse.prefix { $0 != "." }), inverse: inverse))
        } else {
          let isIndexed = word.last == "!"
          names.append(
            ModelOutline.Attribute(
              name: name(isIndexed ? word.dropLast() : word, of: entity), type: .string,
              isOptional: true, isUnique: false, isIndexed: isIndexed, isTransient: false,
              isExternal: nil, isFullText: nil))
        }
      }
      outline.entities.append(
        ModelOutline.Entity(
          name: entity, superentity: nil, isAbstract: false,
          attributes: names.sorted { $0.name < $1.name },
          relationships: links.sorted { $0.name < $1.name }, uniqueTogether: nil, indexes: nil))
    }
    outline.entities.sort { $0.name < $1.name }
  }

  package let description: String

  /// The present name of `b<a`, whose former one is noted.
  private mutating func name(_ text: Substring, of entity: String?) -> String {
    let names = text.split(separator: "<").map(String.init)
    if names.count > 1 {
      additions.originalNames[entity.map { "\($0).\(names[0])" } ?? names[0]] = names[1]
    }
    return names[0]
  }

  package func made() throws -> ManagedObjectModel {
    try ManagedObjectModel(outline, class: ManagedObject.self, adding: additions)
  }
}
