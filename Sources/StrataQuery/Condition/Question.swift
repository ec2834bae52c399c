// SPDX-License-Identifier: Apache-2.0

/// A condition that has to be asked of each object: no index and no source can tell of it.
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
