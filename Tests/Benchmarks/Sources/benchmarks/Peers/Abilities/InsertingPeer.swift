// SPDX-License-Identifier: Apache-2.0

/// Inserts persons.
protocol InsertingPeer: AnyObject {
  /// Inserts persons, a number of them in each durable save; with person 1 come the companies.
  func insert(_ serials: ClosedRange<Int>, perSave: Int) throws
  /// The same without remembering the inserted persons, so that memory is the store's own.
  func insertAndForget(_ serials: ClosedRange<Int>) throws
  /// A function that inserts one person in a durable save, from a thread of its own beside others.
  func makeSaver() throws -> @Sendable (_ serial: Int) throws -> Void
}

extension InsertingPeer {
  func insertAndForget(_ serials: ClosedRange<Int>) throws {
    try insert(serials, perSave: serials.count)
  }

  func makeSaver() throws -> @Sendable (_ serial: Int) throws -> Void {
    throw Unsupported.notWritten
  }
}
