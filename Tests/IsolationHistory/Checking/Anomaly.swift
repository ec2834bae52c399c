// SPDX-License-Identifier: Apache-2.0

/// A part of a history that the promise of `HistoryChecker` excludes.
package struct Anomaly: Sendable, CustomStringConvertible {
  /// The kinds, with their names in the literature (Adya; Berenson and others; Cerone and others).
  package enum Kind: String, Sendable, CaseIterable {
    /// A read of a version that no save has brought to the level of the read.
    case unwrittenRead
    /// A read of a version whose unit was abandoned: G1a, dirty read.
    case abortedRead
    /// A read of a version that its own unit has replaced before its save: G1b.
    case intermediateRead
    /// Two reads of one register in one turn with different results, or a read without the unit's
    /// own write before it.
    case unrepeatableRead
    /// One version was read as written over two different versions: a part of an older record.
    case tornVersion
    /// Two saves have replaced the same version: P4.
    case lostUpdate
    /// Two units have each written over a version of the other: G0, dirty write.
    case dirtyWrite
    /// Two units have each read, or replaced, a version of the other: G1c.
    case circularFlow
    /// A turn has read a part of a save, or a newer save without an older one: G-single.
    case readSkew
    /// Two turns have seen two saves in opposite orders: G-nonadjacent.
    case longFork
    /// Two units have each replaced a version that the other had read and guarded: G2-item.
    case writeSkew
    /// A turn does not show a save that had returned before the turn began.
    case staleRead
  }

  package let kind: Kind
  /// The units that take part, in the order of the cycle if there is one.
  package let units: [String]
  package let detail: String

  package var description: String {
    "\(kind): \(detail) [\(units.joined(separator: ", "))]"
  }
}
