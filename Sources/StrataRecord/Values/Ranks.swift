// SPDX-License-Identifier: Apache-2.0
package import StrataModel

/// The raw values of an enum's cases in the order of the enum's `<`.
public struct _Ranks: Sendable {
  /// The raw values, ascending by their cases. Cases of which neither is less are side by side.
  package let values: [PropertyValue]
  private let ranks: [PropertyValue: Int]

  /// - Complexity: O(cases · log cases).
  package init<V: RawRepresentable & CaseIterable & Comparable>(
    of type: V.Type
  ) where V.RawValue: AttributeValue {
    let cases = type.allCases.sorted()
    self.init(of: cases, values: cases.map(\.rawValue.value))
  }

  /// The order of a type that is known at run time only: of an enum that is `CaseIterable` and
  /// `Comparable`, or of an optional one; nil for other types.
  ///
  /// - Complexity: O(cases · log cases).
  package init?(ofAny type: Any.Type) {
    if let optional = type as? any OptionalType.Type {
      self.init(ofAny: optional.wrapped)
      return
    }
    guard let type = type as? any (RawRepresentable & CaseIterable & Comparable).Type,
      let ranks = Self.ofEnum(type)
    else { return nil }
    self = ranks
  }

  private static func ofEnum<V: RawRepresentable & CaseIterable & Comparable>(
    _ type: V.Type
  ) -> _Ranks? {
    let cases = type.allCases.sorted()
    var values: [PropertyValue] = []
    for each in cases {
      guard let raw = each.rawValue as? any AttributeValue else { return nil }
      values.append(raw.value)
    }
    return _Ranks(of: cases, values: values)
  }

  /// - Parameters:
  ///   - cases: the cases in their order.
  ///   - values: the raw value of each.
  private init<V: Comparable>(of cases: [V], values: [PropertyValue]) {
    self.values = values
    var ranks: [PropertyValue: Int] = [:]
    var rank = 0
    for (index, each) in cases.enumerated() {
      if cases[rank] < each { rank = index }
      ranks[values[index]] = ranks[values[index]] ?? rank
    }
    self.ranks = ranks
  }

  /// The rank of a raw value: the index in `values` of the first case that is equal to its case in
  /// the order; nil if no case has it.
  package func rank(of value: PropertyValue) -> Int? { ranks[value] }

  /// The raw values whose ranks pass a test, ascending.
  package func values(where isIncluded: (_ rank: Int) -> Bool) -> [PropertyValue] {
    values.filter { ranks[$0].map(isIncluded) ?? false }
  }
}

extension AttributeValue
where Self: RawRepresentable & CaseIterable & Comparable, RawValue: AttributeValue {
  public static var _ranks: _Ranks? { _Ranks(of: Self.self) }
}

/// An optional with an erased type.
private protocol OptionalType {
  static var wrapped: Any.Type { get }
}

extension Optional: OptionalType {
  fileprivate static var wrapped: Any.Type { Wrapped.self }
}
