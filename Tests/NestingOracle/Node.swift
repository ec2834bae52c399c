// SPDX-License-Identifier: Apache-2.0
import Strata

/// The one kind of object of the nesting test, with one property for each `Slot`.
@Entity final class Node: ManagedObject {
  var a: Int = 0
  @Attribute(.indexed) var b: String
  @Attribute(.derived(.uppercase("b"))) var derived: String
  @Attribute(.derived(.count("members"))) var memberCount: Int
  @Attribute(.unique) var code: String?
  var owner: Node?
  @Relationship(inverse: \Node.owner) var members: ToMany<Node>
  var whole: Node?
  @Relationship(deleteRule: .cascade, inverse: \Node.whole) var parts: ToMany<Node>
  @Relationship(inverse: \Node.partnerOf) var partner: Node?
  var partnerOf: Node?
  @Relationship(inverse: \Node.likers) var liked: ToMany<Node>
  var likers: ToMany<Node>
  var stops: OrderedToMany<Node>
}

/// An object beside all sequences. A save of it occupies the store's writer.
@Entity final class Bolt: ManagedObject {
  var turnCount: Int = 0
}

extension Node {
  /// The number that stands for a text of the attribute `b`, and the other way round.
  static func text(_ number: Int) -> String { number == 0 ? "" : "b\(number)" }

  private static func number(_ text: String) -> Int {
    text.isEmpty ? 0 : Int(text.dropFirst()) ?? -1
  }

  /// The values of the object.
  func values(_ key: (ObjectID) -> Int?) -> Values {
    var values = Values.new
    values[.a] = a
    values[.b] = Self.number(b)
    values[.derived] = Self.number(derived.lowercased())
    values[.memberCount] = memberCount
    values[.code] = code.flatMap(Int.init) ?? 0
    values[.owner] = owner.map { key($0.objectID).map { $0 + 1 } ?? -1 } ?? 0
    values[.whole] = whole.map { key($0.objectID).map { $0 + 1 } ?? -1 } ?? 0
    values[.partner] = partner.map { key($0.objectID).map { $0 + 1 } ?? -1 } ?? 0
    values[.partnerOf] = partnerOf.map { key($0.objectID).map { $0 + 1 } ?? -1 } ?? 0
    return values
  }
}
