// SPDX-License-Identifier: Apache-2.0
import StrataModel
public import StrataRecord

// Membership in a list of constants: `["Bam", "Qom"].contains($0.name)` as for Swift's collections,
// or `$0.name.isIn(["Bam", "Qom"])`. Core Data: IN.

extension PropertyPath where Leaf: AttributeValue {
  /// Whether the value is equal to one of `constants`.
  ///
  /// - Complexity: O(1) per object, whatever the number of constants.
  public func isIn(_ constants: some Sequence<Leaf>) -> FetchPredicate {
    isAmong(constants.map(\.value))
  }
}

extension PropertyPath {
  /// Whether the value is not nil and is equal to one of `constants`.
  ///
  /// - Complexity: O(1) per object, whatever the number of constants.
  public func isIn<V: AttributeValue>(_ constants: some Sequence<V>) -> FetchPredicate
  where Leaf == V? {
    isAmong(constants.map(\.value))
  }
}

extension Sequence where Element: AttributeValue {
  /// Whether the value at `path` is equal to an element of the sequence. Core Data: IN.
  public func contains<Root>(_ path: PropertyPath<Root, Element>) -> FetchPredicate {
    path.isIn(self)
  }

  /// Whether the value at `path` is not nil and is equal to an element of the sequence. Core Data:
  /// IN.
  public func contains<Root>(_ path: PropertyPath<Root, Element?>) -> FetchPredicate {
    path.isIn(self)
  }
}
