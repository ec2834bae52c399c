// SPDX-License-Identifier: Apache-2.0

/// Reads from several threads at once.
protocol ThreadedPeer: AnyObject {
  /// Makes the reader of one thread. It is not used after the peer's `close`.
  func makeReader() throws -> any ThreadReader
}

extension ThreadedPeer {
  func makeReader() throws -> any ThreadReader { throw Unsupported.notWritten }
}

/// The reads of one thread. Each sees the newest saved data.
protocol ThreadReader: AnyObject, Sendable {
  /// The number of persons of a name, whose IDs it has in memory.
  func countIDs(named name: String) throws -> Int
  /// Name and age of the persons of a name.
  func sumPersons(named name: String) throws -> UInt64
  /// Ends the reads.
  func close() throws
}
