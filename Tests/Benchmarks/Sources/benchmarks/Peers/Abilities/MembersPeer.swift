// SPDX-License-Identifier: Apache-2.0

/// Reads and changes a relationship from its many side: the employees of company 1. Changes are
/// pending until `takeBackMembers`, and never saved.
protocol MembersPeer: AnyObject {
  /// Registers the company and all persons, if the peer has objects; it is not measured.
  func prepareMembers() throws
  /// Removes each member by itself, and counts the others each time, in one turn.
  /// - Returns: the sum of the counts.
  func countMembers(afterRemovingEachOf serials: [UInt32]) throws -> Int
  /// How many of the persons are members.
  func membersAmong(_ serials: [UInt32]) throws -> Int
  func insertMembers(_ serials: [UInt32]) throws
  func removeMembers(_ serials: [UInt32]) throws
  /// Drops the pending changes; `prepareMembers` must follow.
  func takeBackMembers() throws
  /// From each company to its employees, and of each the age, all as objects: the sum of the ages
  /// times that of the company's name.
  func readAllMembers() throws -> UInt64
}

extension MembersPeer {
  func prepareMembers() throws { throw Unsupported.notWritten }
  func countMembers(afterRemovingEachOf serials: [UInt32]) throws -> Int {
    throw Unsupported.notWritten
  }
  func membersAmong(_ serials: [UInt32]) throws -> Int { throw Unsupported.notWritten }
  func insertMembers(_ serials: [UInt32]) throws { throw Unsupported.notWritten }
  func removeMembers(_ serials: [UInt32]) throws { throw Unsupported.notWritten }
  func takeBackMembers() throws { throw Unsupported.notWritten }
  func readAllMembers() throws -> UInt64 { throw Unsupported.notWritten }
}
