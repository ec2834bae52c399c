// SPDX-License-Identifier: Apache-2.0

/// The rows that a batch insert takes from a sequence, in order and once, without the rows that the
/// request skips.
///
/// ## Isolation
/// As `RowDraft`.
@usableFromInline
struct RowFeed<Rows: Sequence> {
  @usableFromInline var iterator: Rows.Iterator

  /// - Parameter skipCount: the number of rows to leave out at the beginning.
  @inlinable
  init(_ rows: Rows, skipping skipCount: Int) {
    iterator = rows.makeIterator()
    for _ in 0..<skipCount where iterator.next() == nil { break }
  }

  /// Sets the values of the next row's object with `fill`.
  ///
  /// - Returns: false if there is no other row.
  @inlinable
  mutating func setNext<Root: Entity>(
    in draft: RowDraft, with fill: (inout BatchRow<Root>, Rows.Element) throws -> Void
  ) rethrows -> Bool {
    guard let next = iterator.next() else { return false }
    var row = BatchRow<Root>(draft)
    try fill(&row, next)
    return true
  }
}

extension RowFeed where Rows.Element == [String: Any?] {
  /// Sets the values of the next row's object to the values of a dictionary.
  ///
  /// - Returns: false if there is no other row.
  mutating func setNext(in draft: RowDraft) -> Bool {
    guard let next = iterator.next() else { return false }
    draft.set(next)
    return true
  }
}
