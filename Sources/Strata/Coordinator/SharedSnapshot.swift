// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataModel
import StrataRecord

/// A snapshot of the store that several isolations use: that of a pin, which the pinned context, its
/// children and whoever has the token read.
///
/// A lock is held for each look-up and for each step of a scan, not while a scan's body looks at what
/// it was given. So nobody waits for another's whole fetch, and a body may read through the same
/// snapshot.
///
/// ## Isolation
/// Sendable: what it wraps is used only while the lock is held.
final class SharedSnapshot: Snapshot, @unchecked Sendable {  // Safety: `lock` guards `snapshot`.
  let generation: UInt64
  private let snapshot: any Snapshot
  private let lock = NSLock()

  init(_ snapshot: any Snapshot) {
    self.snapshot = snapshot
    generation = snapshot.generation
  }

  func record(for key: ObjectKey) throws -> StoredRecord? {
    try lock.withLock { try snapshot.record(for: key) }
  }

  func externalData(of key: ObjectKey, at slot: Int) throws -> ExternalData? {
    try lock.withLock { try snapshot.externalData(of: key, at: slot) }
  }

  func contains(_ key: ObjectKey) throws -> Bool {
    try lock.withLock { try snapshot.contains(key) }
  }

  func scanRecords(
    of entity: EntityNumber,
    _ body: (ObjectKey, _ generation: UInt64, _ record: UnsafeRawBufferPointer) throws -> ScanStep
  ) throws {
    try lock.withLock {
      try snapshot.scanRecords(of: entity) { key, generation, record in
        try unlocked { try body(key, generation, record) }
      }
    }
  }

  func scanKeys(of entity: EntityNumber, _ body: (ObjectKey) throws -> ScanStep) throws {
    try lock.withLock {
      try snapshot.scanKeys(of: entity) { key in try unlocked { try body(key) } }
    }
  }

  func scanIndex(
    _ index: PropertyNumber, in range: KeyRange, isReversed: Bool,
    _ body: (_ entry: UnsafeRawBufferPointer, ObjectKey) throws -> ScanStep
  ) throws {
    try lock.withLock {
      try snapshot.scanIndex(index, in: range, isReversed: isReversed) { entry, key in
        try unlocked { try body(entry, key) }
      }
    }
  }

  func scanLinks(
    at place: LinkPlace, _ body: (_ target: ObjectKey, _ position: UInt64) throws -> ScanStep
  ) throws {
    try lock.withLock {
      try snapshot.scanLinks(at: place) { target, position in
        try unlocked { try body(target, position) }
      }
    }
  }

  func link(at place: LinkPlace, to target: ObjectKey) throws -> UInt64? {
    try lock.withLock { try snapshot.link(at: place, to: target) }
  }

  func count(of entity: EntityNumber) throws -> Int {
    try lock.withLock { try snapshot.count(of: entity) }
  }

  /// Runs a scan's body. The bytes that it gets lie in the snapshot's pages, which stay as they are.
  private func unlocked(_ body: () throws -> ScanStep) rethrows -> ScanStep {
    lock.unlock()
    defer { lock.lock() }
    return try body()
  }
}
