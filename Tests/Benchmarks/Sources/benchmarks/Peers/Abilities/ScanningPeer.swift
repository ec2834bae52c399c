// SPDX-License-Identifier: Apache-2.0

/// Answers from every row, and answers from an index without the rows.
protocol ScanningPeer: AnyObject {
  /// How many persons have a lower score; no index helps.
  func countScores(below bound: Double) throws -> Int
  /// How many biographies contain a text; no index helps.
  func countBiographies(with text: String, isCaseless: Bool) throws -> Int
  /// How many persons are of these ages.
  func countAges(_ ages: Range<Int>) throws -> Int
  /// The sum of these ages.
  func sumAges(_ ages: Range<Int>) throws -> Int
  /// The IDs of 50 persons by age, after a number of others.
  /// - Returns: a function that computes the sum of serial times place; it is not measured.
  func fetchIDsByAge(after offset: Int) throws -> () -> UInt64
  /// Name and age of the 50 persons of the lowest scores, by score; no index helps.
  func fetchLeastScores() throws -> UInt64
}

extension ScanningPeer {
  func countScores(below bound: Double) throws -> Int { throw Unsupported.notWritten }
  func countBiographies(with text: String, isCaseless: Bool) throws -> Int {
    throw Unsupported.notWritten
  }
  func countAges(_ ages: Range<Int>) throws -> Int { throw Unsupported.notWritten }
  func sumAges(_ ages: Range<Int>) throws -> Int { throw Unsupported.notWritten }
  func fetchIDsByAge(after offset: Int) throws -> () -> UInt64 { throw Unsupported.notWritten }
  func fetchLeastScores() throws -> UInt64 { throw Unsupported.notWritten }
}
