// SPDX-License-Identifier: Apache-2.0
internal import Foundation
public import StrataModel

extension MergeRule {
  /// A merge of the program's own.
  ///
  /// ```swift
  /// @Attribute(.merges(.custom { (base: Int, ours: Int, theirs: Int) in theirs | (ours & ~base)
  /// })) var flags: Int = 0
  /// ```
  ///
  /// - Important: `merge` runs on the thread that saves or merges, also inside the store's
  ///   transaction. It must be pure and short, and must not use a context. It may be called again
  ///   for the same values.
  /// - Parameter merge: gives the value that both changes together have. It is asked if theirs
  ///   differs from base. Its values have the type of the property, or of its stored values. With
  ///   another type the model is refused: `ModelError.unfitMergeRule`.
  public static func custom<Value: AttributeValue>(
    _ merge: @escaping @Sendable (_ base: Value, _ ours: Value, _ theirs: Value) -> Value
  ) -> MergeRule {
    custom(
      CustomMerge(of: Value.self, storedAs: Value.attributeType) { base, ours, theirs in
        func value(_ value: PropertyValue) -> Value? {
          Value(value: value) ?? (value == .null ? Value.zero : nil)
        }
        guard let base = value(base), let ours = value(ours), let theirs = value(theirs) else {
          return nil
        }
        return merge(base, ours, theirs).value
      })
  }

  /// A merge of the program's own, of values of a `Codable` type.
  ///
  /// - Parameter merge: as for other types. If a value is nil or does not decode, or the result
  ///   does not encode, ours stays.
  @_disfavoredOverload
  public static func custom<Value: Codable & Sendable>(
    _ merge: @escaping @Sendable (_ base: Value, _ ours: Value, _ theirs: Value) -> Value
  ) -> MergeRule {
    custom(
      CustomMerge(of: Value.self, storedAs: .codable) { base, ours, theirs in
        func value(_ value: PropertyValue) -> Value? {
          _CodableBox<Value>(value: value)?.wrapped
        }
        guard let base = value(base), let ours = value(ours), let theirs = value(theirs) else {
          return nil
        }
        let merged = _CodableBox(merge(base, ours, theirs)).value
        return merged == .null ? nil : merged
      })
  }
}

extension MergeRule {
  /// The value that both changes together give the attribute; nil if ours stays.
  ///
  /// - Precondition: theirs differs from base.
  package func merge(
    base: PropertyValue, ours: PropertyValue, theirs: PropertyValue,
    of attribute: AttributeDescription
  ) -> PropertyValue? {
    switch kind {
    case .sum: sum(base, ours, theirs, attribute.type)
    case .max: further(ours, theirs) { $0.isAtMost($1) }
    case .min: further(ours, theirs) { $1.isAtMost($0) }
    case .union:
      (attribute.swiftType as? any MergedCollection.Type).flatMap {
        union(base, ours, theirs, of: $0)
      }
    case .custom(let custom): custom.merge(base, ours, theirs)
    }
  }

  private func sum(
    _ base: PropertyValue, _ ours: PropertyValue, _ theirs: PropertyValue, _ type: AttributeType
  ) -> PropertyValue? {
    switch type {
    case .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64:
      type.integer(theirs.integer + ours.integer - base.integer)
    case .float, .double: .double(theirs.double + (ours.double - base.double))
    case .decimal: decimalSum(base.decimal, ours.decimal, theirs.decimal)
    case .bool, .string, .data, .date, .uuid, .url, .codable: nil
    }
  }

  /// Nil if the sum is beyond the range of `Decimal`.
  private func decimalSum(_ base: Decimal, _ ours: Decimal, _ theirs: Decimal) -> PropertyValue? {
    let sum = theirs + (ours - base)
    return sum.isNaN ? nil : .decimal(sum)
  }

  /// The value that is further in one direction. Nil and NaN give way.
  private func further(
    _ ours: PropertyValue, _ theirs: PropertyValue,
    _ isBefore: (PropertyValue, PropertyValue) -> Bool
  ) -> PropertyValue? {
    if !theirs.isAtMost(theirs) { return ours }
    if !ours.isAtMost(ours) { return theirs }
    return isBefore(ours, theirs) ? theirs : ours
  }

  private func union<Collection: MergedCollection>(
    _ base: PropertyValue, _ ours: PropertyValue, _ theirs: PropertyValue, of _: Collection.Type
  ) -> PropertyValue? {
    func collection(_ value: PropertyValue) -> Collection? {
      guard case .codable(let data) = value else { return value == .null ? Collection() : nil }
      return try? _CodableCoding.decode(Collection.self, from: data)
    }
    guard let base = collection(base), let ours = collection(ours), let theirs = collection(theirs)
    else { return nil }
    let union = Collection.union(base: base, ours: ours, theirs: theirs)
    return (try? _CodableCoding.encode(union)).map(PropertyValue.codable)
  }
}

extension PropertyValue {
  fileprivate var integer: Int128 {
    switch self {
    case .int(let value): Int128(value)
    case .uint(let value): Int128(value)
    default: 0
    }
  }

  fileprivate var double: Double { if case .double(let value) = self { value } else { 0 } }

  fileprivate var decimal: Decimal { if case .decimal(let value) = self { value } else { 0 } }
}

extension AttributeType {
  /// The integer as a value of this type, or the bound that it is beyond.
  fileprivate func integer(_ value: Int128) -> PropertyValue? {
    switch self {
    case .int8: .int(Int64(Int8(clamping: value)))
    case .int16: .int(Int64(Int16(clamping: value)))
    case .int32: .int(Int64(Int32(clamping: value)))
    case .int64: .int(Int64(clamping: value))
    case .uint8: .uint(UInt64(UInt8(clamping: value)))
    case .uint16: .uint(UInt64(UInt16(clamping: value)))
    case .uint32: .uint(UInt64(UInt32(clamping: value)))
    case .uint64: .uint(UInt64(clamping: value))
    default: nil
    }
  }
}
