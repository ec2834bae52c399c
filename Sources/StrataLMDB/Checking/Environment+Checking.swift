// SPDX-License-Identifier: Apache-2.0
import CStrataLMDB
import StrataPrimitives
import Synchronization

// A file is not read as a whole when it is opened, if it has its stamp or if another process has it
// open. LMDB trusts the pages that it follows, and damage may have come since they were checked. So
// - the pages that lead to the trees are checked before LMDB opens one (`OpenedFile`),
// - Strata's own readers of pages read the trees, and trust none (`MappedPages`),
// - the whole file is checked before LMDB follows the pages of a tree: before the first write, a
//   copy, or a cursor of LMDB (`checkWhole`).

extension Environment {
  /// Whether the whole file was checked since it was opened, or is new. Then LMDB may follow the
  /// pages of all trees.
  @usableFromInline var isChecked: Bool { mapped.isChecked.load(ordering: .acquiring) }

  /// Checks the whole file, unless that was done.
  ///
  /// - Throws: `damagedPage`; the errors of beginning to read.
  /// - Complexity: O(pages) the first time, as at an opening.
  @usableFromInline func checkWhole() throws(LMDBError) {
    if isChecked { return }
    try Self.checkNewest(file, at: path, beginReading) { (header) throws(LMDBError) in
      _ = try FileCheck.run(file, header)
    }
    mapped.isChecked.store(true, ordering: .releasing)
  }

  /// Checks pages of the newest snapshot. A process that writes others later has checked the whole
  /// file before.
  ///
  /// A process that uses another lock file does not see the snapshot, and may overwrite its pages
  /// while they are checked. Then the file is ahead of this process's lock file.
  ///
  /// - Parameters:
  ///   - beginReading: begins a read transaction.
  ///   - body: checks pages that the header leads to. Called again if it finds damage and another
  ///     process commits meanwhile.
  /// - Throws: `writtenByAnother` if another process goes on writing headers that this one's lock
  ///   file does not tell of; the errors of `beginReading` and `body`.
  static func checkNewest(
    _ file: Int32, at path: String, _ beginReading: () throws(LMDBError) -> OpaquePointer,
    _ body: (FileHeader) throws(LMDBError) -> Void
  ) throws(LMDBError) {
    var isDamaged = false
    for _ in 0..<checkTryCountMax {
      let snapshot = try beginReading()
      defer { mdb_txn_abort(snapshot) }
      let number = UInt64(mdb_txn_id(snapshot))
      let header = Result { () throws(LMDBError) in try FileHeader.newest(of: file) }
      // Otherwise another process has committed since, or was writing the header that was read.
      if FileHeader.numbers(of: file).max() == number {
        let newest = try header.get()
        if newest.number == number {
          do throws(LMDBError) { return try body(newest) } catch {
            // The lock file tells of the commits that have come in between, if there were any.
            if isDamaged || FileHeader.numbers(of: file).max() == number { throw error }
            isDamaged = true
          }
        }
      }
      usleep(1_000)
    }
    throw .writtenByAnother(path: path)
  }

  /// Other processes may commit as often as they like: between two commits there is time for a try.
  private static var checkTryCountMax: Int { 1_000 }
}

extension Transaction {
  /// The value under `key` in a file that was not checked as a whole, or nil.
  ///
  /// - Throws: as `get`; `damagedPage` where LMDB must follow the pages, and they are damaged.
  /// - Complexity: O(log n) for n entries.
  @usableFromInline
  final func getInUncheckedFile(
    _ key: UnsafeRawBufferPointer, in tree: Tree
  ) throws(LMDBError) -> UnsafeRawBufferPointer? {
    guard let name = environment.trees.name(of: tree) else { throw .badTree }
    var cursor = EntryCursor(on: tree, named: name, in: self)
    return try cursor.seek(exactly: key) ? cursor.value : nil
  }
}
