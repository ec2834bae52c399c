// SPDX-License-Identifier: Apache-2.0

/// How two changes of one attribute become one value: `@Attribute(.merges(.sum))`.
///
/// A change was made from a value, its *base*, and meets another value, *theirs*, where it is saved
/// or laid over the changes of others. Without a rule that is a conflict, which a merge policy
/// decides. With a rule both changes count, and the attribute is never in conflict.
///
/// | rule | attributes | result |
/// | --- | --- | --- |
/// | `.sum` | numbers | theirs + (ours - base); integers stop at the bounds of their type |
/// | `.max`, `.min` | numbers and `Date` | the greater, or the less, of ours and theirs |
/// | `.union` | `Set` and `Array` | theirs, with the elements that ours has added and without those
/// that it has removed |
/// | `.custom` | all | the result of the program's function |
///
/// If theirs equals base, the result is ours under every rule: a maximum can be lowered. Nil counts
/// as zero in a sum, as an empty collection in a union, and gives way in `.max` and `.min`; so does
/// NaN.
///
/// A rule holds wherever a change meets another: in a save to a parent and to the store, in a merge
/// and in `refresh(_:mergeChanges: true)`, when newer changes are joined with a refused save,
/// and when a batch or another process has changed the object. It comes before the merge policy,
/// and holds under each. Order does not matter: saves that only add, raise, lower, or insert give
/// the same value in any order. (Sums of floating-point numbers are rounded, so there the last
/// digits may differ.)
///
/// Neither for `.derived`, `.external` nor `.transient` attributes. A rule is not part of the
/// stored data, so it can be added and removed without a migration. Core Data has no such rules.
public struct MergeRule: Sendable, Hashable {
  package enum Kind: Sendable, Hashable {
    case sum, max, min, union
    case custom(CustomMerge)
  }

  package let kind: Kind

  /// Both differences count: for counters and balances.
  public static let sum = MergeRule(kind: .sum)
  /// The greater value stays: for the best result, the last time of a visit.
  public static let max = MergeRule(kind: .max)
  /// The lesser value stays.
  public static let min = MergeRule(kind: .min)
  /// Both additions and both removals count: for tags. The elements of an array stay in the order
  /// of theirs, and new ones follow at the end; an array is taken as a set, so equal elements that
  /// ours adds to theirs are added once.
  public static let union = MergeRule(kind: .union)

  package static func custom(_ merge: CustomMerge) -> MergeRule {
    MergeRule(kind: .custom(merge))
  }
}

extension MergeRule: CustomStringConvertible {
  /// The rule as a program writes it: `.sum`.
  public var description: String {
    switch kind {
    case .sum: ".sum"
    case .max: ".max"
    case .min: ".min"
    case .union: ".union"
    case .custom: ".custom"
    }
  }
}

/// A program's own merge of base, ours and theirs. Two are equal if they are copies of one.
///
/// ## Isolation
/// Sendable: constant.
package final class CustomMerge: Sendable, Hashable {
  /// Nil if a value does not decode, or the result does not encode: then ours stays.
  package typealias Merge =
    @Sendable (_ base: PropertyValue, _ ours: PropertyValue, _ theirs: PropertyValue) ->
    PropertyValue?

  package let merge: Merge
  private let type: AttributeType
  private let swiftType: Any.Type

  /// - Parameters:
  ///   - swiftType: the type of the values.
  ///   - type: how they are stored.
  package init(of swiftType: Any.Type, storedAs type: AttributeType, _ merge: @escaping Merge) {
    self.merge = merge
    self.type = type
    self.swiftType = withoutOptionals(swiftType)
  }

  /// Whether its values are of the attribute's type, or, except for `Codable` types, of the type
  /// that the attribute is stored as.
  fileprivate func fits(_ attribute: AttributeDescription) -> Bool {
    guard attribute.type == type else { return false }
    return type != .codable || attribute.swiftType.map { $0 == swiftType } ?? true
  }

  package static func == (left: CustomMerge, right: CustomMerge) -> Bool { left === right }
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension MergeRule {
  /// Whether the rule can merge values of the attribute.
  func fits(_ attribute: AttributeDescription) -> Bool {
    switch kind {
    case .custom(let merge): merge.fits(attribute)
    case .sum: attribute.type.isNumber
    case .max, .min: attribute.type.isNumber || attribute.type == .date
    case .union: attribute.type == .codable && attribute.swiftType is any MergedCollection.Type
    }
  }
}

extension AttributeType {
  fileprivate var isNumber: Bool {
    switch self {
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .float, .double,
      .decimal:
      true
    case .bool, .string, .data, .date, .uuid, .url, .codable: false
    }
  }
}

extension AttributeDescription {
  /// The type of the Swift property without its optionals; nil for an attribute without a key path.
  package var swiftType: Any.Type? {
    keyPath.map { withoutOptionals(Swift.type(of: $0 as AnyKeyPath).valueType) }
  }
}

private func withoutOptionals(_ type: Any.Type) -> Any.Type {
  var type = type
  while let optional = type as? any OptionalType.Type { type = optional.wrappedType }
  return type
}

/// An optional, whose wrapped type is not known.
private protocol OptionalType {
  static var wrappedType: Any.Type { get }
}

extension Optional: OptionalType {
  fileprivate static var wrappedType: Any.Type { Wrapped.self }
}

// MARK: - Unions

/// A collection that `.union` merges.
package protocol MergedCollection: Codable {
  init()
  /// Theirs, with the elements that ours has added to base and without those that it has removed.
  static func union(base: Self, ours: Self, theirs: Self) -> Self
}

extension Set: MergedCollection where Element: Codable {
  package static func union(base: Set, ours: Set, theirs: Set) -> Set {
    theirs.subtracting(base.subtracting(ours)).union(ours.subtracting(base))
  }
}

extension Array: MergedCollection where Element: Codable & Hashable {
  package static func union(base: [Element], ours: [Element], theirs: [Element]) -> [Element] {
    let removed = Set(base).subtracting(ours)
    var merged = theirs.filter { !removed.contains($0) }
    var known = Set(theirs).union(base)
    for element in ours where known.insert(element).inserted { merged.append(element) }
    return merged
  }
}
