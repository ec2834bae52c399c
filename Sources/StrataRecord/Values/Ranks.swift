// SPDX-License-Identifier: Apache-2.0
package import StrataModel

/// The raw values of an enum's cases in the order of the enum's `<`.
public struct _Ranks: Sendable {
  /// The raw values, ascending by their cases.
  package let values: [PropertyValue]
  private let ranks: [PropertyValue: Int]

  /// - Complexity: O(cases · log cases).
  package init<V: RawRepresentable & CaseIterable & Comparable>(
    of type: V.Type
  ) where V.RawValue: AttributeValue {
    values = type.allCases.sorted().map(\.rawValue.value)
    ranks = Dictionary(zip(values, values.indices)) { first, _ in first }
  }

  /// The index of a raw value in `values`; nil if no case has it.
  package func rank(of value: PropertyValue) -> Int? { ranks[value] }
}

extension AttributeValue
where Self: RawRepresentable & CaseIterable & Comparable, RawValue: AttributeValue {
  public static var _ranks: _Ranks? { _Ranks(of: Self.self) }
}
