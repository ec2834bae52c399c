// SPDX-License-Identifier: Apache-2.0

/// A condition that must be evaluated for each object: neither an index nor another source can
/// answer it.
struct Question: Condition {
  private let describe: @Sendable () -> String
  private let ask: @Sendable (Row, RowReader) throws -> Bool

  init(
    _ description: @autoclosure @escaping @Sendable () -> String,
    _ ask: @escaping @Sendable (Row, RowReader) throws -> Bool
  ) {
    describe = description
    self.ask = ask
  }

  func isTrue(of row: Row, _ reader: RowReader) throws -> Bool { try ask(row, reader) }

  var description: String { describe() }
}
