// SPDX-License-Identifier: Apache-2.0

// Names of Core Data and of Swift's own types that rows do not have. Each is refused by the
// compiler with a message that names the right word.

extension FetchRequest {
  @available(*, unavailable, message: "select columns with 'select(_:)'")
  public var propertiesToFetch: [FetchColumn] {
    get { [] }
    set {}
  }

  @available(*, unavailable, message: "group the rows of 'select(_:)' with 'grouped(by:)'")
  public var propertiesToGroupBy: [FetchColumn] {
    get { [] }
    set {}
  }

  @available(*, unavailable, message: "call 'distinct()' on the rows of 'select(_:)'")
  public var returnsDistinctResults: Bool {
    get { false }
    set {}
  }
}

extension PropertyPath where Root == Leaf, Root: AnyObject {
  @available(*, unavailable, message: "'rowCount()' counts the objects of a group")
  public var count: () -> PropertyPath<Root, Int> { { self.rowCount() } }
}

extension PropertyPath {
  @available(*, unavailable, renamed: "min()")
  public func minimum() -> PropertyPath { self }

  @available(*, unavailable, renamed: "max()")
  public func maximum() -> PropertyPath { self }
}
