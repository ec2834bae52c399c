// SPDX-License-Identifier: Apache-2.0

/// Reads persons by ID, all of them, and along the relationship to one.
protocol ReadingPeer: AnyObject {
  /// Name, age and date of each person by serial; `perTurn` of them share a snapshot.
  func readByID(_ serials: [UInt32], perTurn: Int) throws -> UInt64
  /// All as objects: age and length of name.
  func fetchAll() throws -> UInt64
  /// The same without objects.
  func stream() throws -> UInt64
  /// Gets the persons ready for `hop`, if the peer has objects; it is not measured.
  func prepareHop() throws
  /// From each person to the company, and of that the name.
  func hop() throws -> UInt64
}

extension ReadingPeer {
  func readByID(_ serials: [UInt32], perTurn: Int) throws -> UInt64 { throw Unsupported.notWritten }
  func fetchAll() throws -> UInt64 { throw Unsupported.notWritten }
  func stream() throws -> UInt64 { throw Unsupported.notWritten }
  func prepareHop() throws {}
  func hop() throws -> UInt64 { throw Unsupported.notWritten }
}
