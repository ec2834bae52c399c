// SPDX-License-Identifier: Apache-2.0
import CGuardedLMDB
import CStrataLMDB
import StrataPrimitives

// Each way to change an entry notes it here, so that the commit can seal the content
// (`ContentSeal`). A file without a name is gone with its environment, and needs no seal.

extension Transaction {
  /// Whether commits seal the content of the file.
  package final var hasSeal: Bool {
    get throws(LMDBError) { try note(ContentSeal.name) != nil }
  }
}

extension WriteTransaction {
  /// Lets the commit seal the content of a file without a seal. The commit then reads all of the
  /// file.
  package final func beginSealing() {
    beginsSealing = true
    hasChanges = true
  }

  @usableFromInline
  final func noteAdded(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, in tree: Tree
  ) {
    hasChanges = true
    byteChange += key.count + value.count
    if isSealing { contentChange &+= ContentSeal.digest(of: key, value, seed: tree.seed) }
  }

  @usableFromInline
  final func noteRemoved(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, in tree: Tree
  ) {
    hasChanges = true
    byteChange -= key.count + value.count
    if isSealing { contentChange &-= ContentSeal.digest(of: key, value, seed: tree.seed) }
  }

  /// Notes that all entries of a tree go.
  ///
  /// - Throws: `corrupted`, `pageNotFound`, `badTransaction`, `badTree`.
  /// - Complexity: O(entries).
  final func noteCleared(_ tree: Tree) throws(LMDBError) {
    hasChanges = true
    byteChange -= try statistics(of: tree).pageCount * environment.pageByteCount
    if isSealing { contentChange &-= try contentDigest(of: tree) }
  }

  /// Puts the seal of the commit that is about to be made, if anything has changed.
  ///
  /// A file of a former release has no seal, and gets one only after `beginSealing`.
  ///
  /// - Throws: as `put`; `damagedPage` if the last commit of the file has no seal of its own.
  final func writeSeal() throws(LMDBError) {
    guard hasChanges, isSealing else { return }
    let number = transactionID
    let former = try note(ContentSeal.name).map { bytes throws(LMDBError) in
      guard let seal = ContentSeal(bytes) else { throw .damagedPage(number: 0, .seal) }
      return seal
    }
    if former == nil, number > 1, !beginsSealing { return }
    var seal = ContentSeal(number: number, digest: contentChange, formerHeader: 0)
    if let former {
      // A compacted copy begins with the number 1.
      guard former.number == number - 1 || number == 2 else {
        throw .damagedPage(number: 0, .seal)
      }
      seal.digest = former.digest &+ contentChange
    } else if number > 1 {
      seal.digest =
        try FileCheck.run(
          environment.file, FileHeader.newest(of: environment.file)
        ).digest &+ contentChange
    }
    if number > 1 {
      seal.formerHeader = try FileHeader.digest(ofCommit: number - 1, in: environment)
    }
    try seal.withBytes { (bytes) throws(LMDBError) in
      guard let raw else { throw .badTransaction }
      var (key, value) = (
        try MDB_val(key: Self.key(ofNote: ContentSeal.name)), MDB_val(bytes)
      )
      try check(guarded_put(raw, Tree.directory.handle, &key, &value, 0))
    }
  }

  private func contentDigest(of tree: Tree) throws(LMDBError) -> UInt64 {
    var digest: UInt64 = 0
    var cursor = try cursor(in: tree)
    while try cursor.next() {
      digest &+= ContentSeal.digest(of: cursor.key, cursor.value, seed: tree.seed)
    }
    return digest
  }
}
