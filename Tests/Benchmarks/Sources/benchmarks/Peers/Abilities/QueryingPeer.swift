// SPDX-License-Identifier: Apache-2.0

/// Fetches the persons that an index finds.
protocol QueryingPeer: AnyObject {
  /// Name and age of the persons of each name.
  func fetchByName(_ names: [UInt32]) throws -> UInt64
  /// The IDs of the persons of each name.
  /// - Returns: a function that computes the sum of their serials; it is not measured.
  func fetchIDsByName(_ names: [UInt32]) throws -> () -> UInt64
  /// Name and age of the first 50 persons in each range of ages, by age.
  func fetchByAge(_ lows: [UInt32], width: Int) throws -> UInt64
  /// The same by name.
  func fetchByAgeSortedByName(_ lows: [UInt32], width: Int) throws -> UInt64
}

extension QueryingPeer {
  func fetchByName(_ names: [UInt32]) throws -> UInt64 { throw Unsupported.notWritten }
  func fetchIDsByName(_ names: [UInt32]) throws -> () -> UInt64 { throw Unsupported.notWritten }
  func fetchByAge(_ lows: [UInt32], width: Int) throws -> UInt64 { throw Unsupported.notWritten }
  func fetchByAgeSortedByName(_ lows: [UInt32], width: Int) throws -> UInt64 {
    throw Unsupported.notWritten
  }
}
