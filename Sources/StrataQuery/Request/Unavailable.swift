// SPDX-License-Identifier: Apache-2.0
public import Foundation
import StrataRecord

// Names of Core Data, SwiftData and GRDB, and of Swift's own types, that a request does not have.
// Each is refused by the compiler with a message that names the right word.

extension FetchRequest {
  @available(*, unavailable, renamed: "limit")
  public var fetchLimit: Int {
    get { 0 }
    set {}
  }

  @available(*, unavailable, renamed: "offset")
  public var fetchOffset: Int {
    get { 0 }
    set {}
  }

  @available(*, unavailable, message: "add sort keys with 'sorted(by:order:)' or 'sorted(using:)'")
  public var sortDescriptors: [SortDescriptor<Root>] {
    get { [] }
    set {}
  }

  @available(*, unavailable, message: "set 'includesPropertyValues' to false to get faults")
  public var returnsObjectsAsFaults: Bool {
    get { false }
    set {}
  }

  @available(*, unavailable, message: "name relationships with 'prefetching(_:)'")
  public var relationshipKeyPathsForPrefetching: [String] {
    get { [] }
    set {}
  }

  @available(*, unavailable, renamed: "where(_:)")
  public func filter(_ condition: (PropertyPath<Root, Root>) -> FetchPredicate) -> FetchRequest {
    self
  }

  @available(*, unavailable, renamed: "sorted(by:order:)")
  public func order<V>(_ keyPath: KeyPath<Root, V>) -> FetchRequest { self }

  @available(*, unavailable, renamed: "sorted(by:order:)")
  public func sorted<V>(by keyPath: KeyPath<Root, V>, _ order: SortOrder) -> FetchRequest { self }

  @available(
    *, unavailable,
    message: "a Codable attribute has no order: sort by one of its members, '{ $0.address.city }'"
  )
  @_disfavoredOverload
  public func sorted<V: Codable>(
    by keyPath: KeyPath<Root, V> & Sendable, order: SortOrder = .forward
  ) -> FetchRequest { self }

  @available(
    *, unavailable,
    message: "a Codable attribute has no order: sort by one of its members, '{ $0.address.city }'"
  )
  @_disfavoredOverload
  public func sorted<V: Codable>(
    by keyPath: KeyPath<Root, V?> & Sendable, order: SortOrder = .forward
  ) -> FetchRequest { self }
}

extension SortOrder {
  @available(*, unavailable, renamed: "forward")
  public static var ascending: SortOrder { .forward }

  @available(*, unavailable, renamed: "reverse")
  public static var descending: SortOrder { .reverse }
}

extension FetchPredicate {
  @available(*, unavailable, renamed: "init(format:_:)")
  public init(_ format: String, _ arguments: Any?...) { self.init(value: false) }
}

// MARK: - Paths

extension PropertyPath where Leaf: TextValue {
  @available(*, unavailable, message: "compare with an empty text: '$0.name == \"\"'")
  public var isEmpty: FetchPredicate { FetchPredicate(value: false) }

  @available(*, unavailable, renamed: "hasPrefix(_:)")
  public func starts(with prefix: String) -> FetchPredicate { FetchPredicate(value: false) }

  @available(
    *, unavailable, message: "compare with 'isEqual(to:options:)' and '.caseInsensitive'"
  )
  public func lowercased() -> PropertyPath<Root, Leaf> { self }

  @available(
    *, unavailable, message: "compare with 'isEqual(to:options:)' and '.caseInsensitive'"
  )
  public func uppercased() -> PropertyPath<Root, Leaf> { self }

  @available(
    *, unavailable,
    message: "use 'contains(_:options:)' with '[.caseInsensitive, .diacriticInsensitive]'"
  )
  public func localizedStandardContains(_ text: String) -> FetchPredicate {
    FetchPredicate(value: false)
  }
}

extension PropertyPath {
  @available(*, unavailable, message: "a path through a relationship is optional by itself")
  public var orNil: PropertyPath { self }
}

extension PropertyPath where Leaf: Sequence, Leaf.Element: AnyObject {
  @available(*, unavailable, renamed: "any(_:)")
  public func contains(where condition: (Member) -> FetchPredicate) -> FetchPredicate {
    any(condition)
  }

  @available(*, unavailable, renamed: "all(_:)")
  public func allSatisfy(_ condition: (Member) -> FetchPredicate) -> FetchPredicate {
    all(condition)
  }
}

// MARK: - Codable attributes

@available(
  *, unavailable,
  message: "Codable attributes are not compared: compare a member, '$0.address.city'"
)
@_disfavoredOverload
public func == <Root, V: Codable>(path: PropertyPath<Root, V>, constant: V) -> FetchPredicate {
  FetchPredicate(value: false)
}

@available(
  *, unavailable,
  message: "Codable attributes are not compared: compare a member, '$0.address.city'"
)
@_disfavoredOverload
public func == <Root, V: Codable>(path: PropertyPath<Root, V?>, constant: V) -> FetchPredicate {
  FetchPredicate(value: false)
}

@available(
  *, unavailable, message: "Codable attributes have no order: compare a member, '$0.address.city'"
)
@_disfavoredOverload
public func < <Root, V: Codable>(path: PropertyPath<Root, V>, constant: V) -> FetchPredicate {
  FetchPredicate(value: false)
}

@available(
  *, unavailable, message: "Codable attributes have no order: compare a member, '$0.address.city'"
)
@_disfavoredOverload
public func > <Root, V: Codable>(path: PropertyPath<Root, V>, constant: V) -> FetchPredicate {
  FetchPredicate(value: false)
}

// MARK: - The number of characters

// Deprecated, because the compiler passes over an unavailable overload for the general one, which
// compiles. The fetch throws `QueryError.unfitProperty`.

extension PropertyPath where Leaf == String {
  /// The number of characters of a text, which a fetch does not count: it throws
  /// `QueryError.unfitProperty`. Store the length in an attribute.
  @available(
    *, deprecated, message: "a fetch counts no characters: store the length in an attribute"
  )
  public subscript(dynamicMember step: KeyPath<String, Int> & Sendable) -> PropertyPath<Root, Int> {
    PropertyPath<Root, Int>(self, step)
  }
}

extension PropertyPath where Leaf == String? {
  /// The number of characters of an optional text, which a fetch does not count: it throws
  /// `QueryError.unfitProperty`. Store the length in an attribute.
  @available(
    *, deprecated, message: "a fetch counts no characters: store the length in an attribute"
  )
  public subscript(
    dynamicMember step: KeyPath<String, Int> & Sendable
  ) -> PropertyPath<Root, Int?> {
    PropertyPath<Root, Int?>(self, step)
  }
}
