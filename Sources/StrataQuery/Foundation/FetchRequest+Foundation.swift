// SPDX-License-Identifier: Apache-2.0
public import Foundation

extension FetchRequest where Root: AnyObject {
  /// Creates a request from a `#Predicate` and sort descriptors of Foundation.
  ///
  /// - Parameters:
  ///   - predicate: the condition on the objects; nil for all objects.
  ///   - sortDescriptors: the order, the most significant key first.
  /// - Throws: `QueryError.unsupportedExpression` with the part of the predicate that a fetch
  ///   cannot evaluate, or for a sort descriptor that `sorted(using:)` refuses.
  public init(
    _ predicate: Predicate<Root>?, sortBy sortDescriptors: [SortDescriptor<Root>] = []
  ) throws(QueryError) {
    self.init(try predicate.map { (predicate) throws(QueryError) in try FetchPredicate(predicate) })
    self = try sorted(using: sortDescriptors)
  }

  /// Adds a condition, a `#Predicate` of Foundation: the objects satisfy it and the request's
  /// predicate.
  ///
  /// - Throws: `QueryError.unsupportedExpression` with the part of the predicate that a fetch
  ///   cannot evaluate.
  public func `where`(_ predicate: Predicate<Root>) throws(QueryError) -> FetchRequest {
    let added = try FetchPredicate(predicate)
    return self.where { _ in added }
  }

  /// Adds sort descriptors of Foundation, less significant than the keys that the request has.
  ///
  /// Values are in the order of `sorted(by:)`: texts in the order of Swift's `<`, enums that are
  /// `Comparable` and `CaseIterable` in the order of their `<`. A descriptor with another order of
  /// texts is refused. (On Apple's platforms, `SortDescriptor(\.name)` has a localized order: write
  /// `SortDescriptor(\.name, comparator: .lexical)`.)
  ///
  /// - Throws: `QueryError.unsupportedExpression` for a descriptor that does not compare by a
  ///   property, or that has a localized order.
  public func sorted(
    using sortDescriptors: [SortDescriptor<Root>]
  ) throws(QueryError) -> FetchRequest {
    var request = self
    for descriptor in sortDescriptors {
      guard let keyPath = descriptor.keyPath else {
        throw .unsupportedExpression("a sort descriptor without a key path")
      }
      if let comparator = descriptor.stringComparator, comparator != .lexical {
        throw .unsupportedExpression("a sort descriptor with a localized order")
      }
      // The descriptor is Sendable, and so are its parts.
      let path = (keyPath as Any) as! any AnyKeyPath & Sendable
      request.sortKeys.append(
        SortKey(
          PathNode(PathReference([path])), ofType: type(of: keyPath).valueType,
          order: descriptor.order))
    }
    return request
  }
}
