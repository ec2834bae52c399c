// SPDX-License-Identifier: Apache-2.0

/// Changes and deletes persons.
protocol ChangingPeer: AnyObject {
  /// A function that changes the score of 100 persons in a durable save, from another thread than
  /// the reader's.
  func makeChanger() throws -> @Sendable (_ step: Int) throws -> Void
  /// A function that adds 1 to the score of one of the given persons in a save of its own. The
  /// persons are registered beforehand, if the peer has objects.
  func makeSingleChanger(_ serials: [UInt32]) throws -> (_ index: Int) throws -> Void
  /// Adds 1 to each score, in one save.
  func raiseScores() throws
  /// Moves each age on by 7,919, in one save.
  func shiftAges() throws
  /// Deletes each person by itself, in one save, except those whose serial is a multiple of
  /// `spared`; 0 spares none.
  func deleteOneByOne(sparing spared: Int) throws
  /// Deletes all persons at once.
  func deleteAtOnce() throws
}

extension ChangingPeer {
  func makeChanger() throws -> @Sendable (_ step: Int) throws -> Void {
    throw Unsupported.notWritten
  }
  func makeSingleChanger(_ serials: [UInt32]) throws -> (_ index: Int) throws -> Void {
    throw Unsupported.notWritten
  }
  func raiseScores() throws { throw Unsupported.notWritten }
  func shiftAges() throws { throw Unsupported.notWritten }
  func deleteOneByOne(sparing spared: Int) throws { throw Unsupported.notWritten }
  func deleteAtOnce() throws { throw Unsupported.notWritten }
}
