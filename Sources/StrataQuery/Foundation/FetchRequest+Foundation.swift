// SPDX-License-Identifier: Apache-2.0
public import Foundation

extension FetchRequest where Root: AnyObject {
  /// A request from a `#Predicate` and sort descriptors of Foundation's.
  ///
  /// - Parameters:
  ///   - predicate: nil for all objects.
  ///   - sortDescriptors: the most significant first.
  /// - Throws: as `FetchPredicate.init(_:)` of a `#Predicate`, and as `sorted(using:)`.
  public init(
    _ predicate: Predicate<Root>?, sortBy sortDescriptors: [SortDescriptor<Root>] = []
  ) throws(QueryError) {
    self.init(try predicate.map { (predicate) throws(QueryError) in try FetchPredicate(predicate) })
    self = try sorted(using: sortDescriptors)
  }

  /// The objects that satisfy a `#Predicate` of Foundation's as well.
  ///
  /// - Throws: as `FetchPredicate.init(_:)` of a `#Predicate`.
  public func filter(_ predicate: Predicate<Root>) throws(QueryError) -> FetchRequest {
    let added = try FetchPredicate(predicate)
    return filter { _ in added }
  }

  /// In the order of sort descriptors of Foundation's, after the keys that the request has already.
  ///
  /// Text is in the order of `sorted(by:)`, the order of Swift's `<`; a descriptor with an order
  /// of its own for texts is refused. (On Apple's platforms `SortDescriptor(\.name)` is one; say
  /// `comparator: .lexical`.)
  ///
  /// - Throws: `QueryError.unsupportedExpression` for a descriptor that compares by more than a
  ///   property, or by a localized order.
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
      // The descriptor is Sendable, and so is all that it was made of.
      let path = (keyPath as Any) as! any AnyKeyPath & Sendable
      request.sortKeys.append(
        SortKey(
          keyPath: path, direction: descriptor.order == .forward ? .ascending : .descending))
    }
    return request
  }
}
