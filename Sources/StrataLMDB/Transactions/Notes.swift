// SPDX-License-Identifier: Apache-2.0
import CStrataLMDB
import StrataPrimitives

// A note is a small value beside the names of the trees, on a page that each commit writes in any
// case, because the names lead to the trees' roots. So a counter that changes with each commit
// needs no page of its own, and reading it needs no tree.
//
// Names of notes begin with "#", and names of trees do not.

extension Transaction {
  /// The note under `name`, or nil. The bytes are valid as long as those of `get`.
  ///
  /// - Precondition: `name` begins with "#".
  /// - Throws: as `get`.
  package final func note(_ name: StaticString) throws(LMDBError) -> UnsafeRawBufferPointer? {
    try get(Self.key(ofNote: name), in: .directory)
  }

  static func key(ofNote name: StaticString) -> UnsafeRawBufferPointer {
    require(name.utf8Start.pointee == Self.firstByteOfNotes, "notes have names of their own")
    return UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
  }

  static var firstByteOfNotes: UInt8 { UInt8(ascii: "#") }
}

extension WriteTransaction {
  /// Notes `value` under `name`, replacing an existing note.
  ///
  /// - Precondition: `name` begins with "#".
  /// - Throws: as `put`.
  package func setNote(
    _ name: StaticString, to value: UnsafeRawBufferPointer
  ) throws(LMDBError) {
    try put(Self.key(ofNote: name), value, in: .directory)
  }
}
