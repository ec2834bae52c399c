// SPDX-License-Identifier: Apache-2.0
import Dispatch
import StrataLMDB
import StrataRecord

// Requests for which a file, or a disk, has no room.

extension CommitQueue {
  /// Makes freed pages usable, and writes a request in a transaction for it alone.
  ///
  /// - Parameter lackOfRoom: the error of the first try, if there was one. It is the answer if the
  ///   second try cannot begin: a header that could not be written ends the use of the file.
  func writeWithFreedPages(
    _ request: Request, after lackOfRoom: (any Error)?
  ) -> [GroupCommit.Reply] {
    do {
      let transaction: WriteTransaction
      do {
        try takeFreedPages()
        transaction = try environment.begin()
      } catch {
        throw lackOfRoom ?? error
      }
      defer { transaction.abort() }
      return try perform([request], in: transaction, since: .now())
    } catch {
      let error = StoreError(catching: error)
      return [{ request.fail(error) }]
    }
  }

  /// Makes the pages usable that the last commits have freed. A page is usable two commits later
  /// (`FileRoom`), unless a snapshot shows it. It does nothing if so few are freed that the file
  /// would become longer for them.
  private func takeFreedPages() throws {
    for _ in 0..<2 {
      let transaction = try environment.begin()
      defer { transaction.abort() }
      transaction.isReclaiming = true
      let generation = try Catalog.generation(in: transaction, ofVersion: schema.version)
      try Catalog.setGeneration(generation, ofVersion: schema.version, in: transaction)
      do { try transaction.commit() } catch LMDBError.mapFull { return }
    }
  }
}

extension Result where Failure == any Error {
  /// - Throws: the error of this result, if a file or a disk has no room.
  func throwLackOfRoom() throws {
    if case .failure(let error) = self, (error as? StoreError)?.isLackOfRoom == true { throw error }
  }
}
