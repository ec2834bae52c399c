// SPDX-License-Identifier: Apache-2.0
import StrataModel
public import StrataRecord

// `["Bam", "Qom"].contains($0.name)`, as for Swift's own collections, or from left to right,
// `$0.name.isIn(["Bam", "Qom"])`. Core Data: IN.

extension PropertyPath where Leaf: AttributeValue {
  /// Whether the value is equal to one of `constants`. O(1) per object, however many they are.
  public func isIn(_ constants: some Sequence<Leaf>) -> FetchPredicate {
    isAmong(constants.map(\.value))
  }
}

extension PropertyPath {
  /// Whether there is a value and it is equal to one of `constants`.
  public func isIn<V: AttributeValue>(_ constants: some Sequence<V>) -> FetchPredicate
  where Leaf == V? {
    isAmong(constants.map(\.value))
  }
}

extension Sequence where Element: AttributeValue {
  /// Whether the value at `path` is equal to an element.
  public func contains<Root>(_ path: PropertyPath<Root, Element>) -> FetchPredicate {
    path.isIn(self)
  }

  /// Whether there is a value at `path` and it is equal to an element.
  public func contains<Root>(_ path: PropertyPath<Root, Element?>) -> FetchPredicate {
    path.isIn(self)
  }
}
