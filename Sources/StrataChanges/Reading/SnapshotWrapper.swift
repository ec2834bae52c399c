// SPDX-License-Identifier: Apache-2.0
package import StrataModel
package import StrataRecord

/// A snapshot that reads another one, with hooks: before each call, before each look-up and entry,
/// and around the caller's body for an entry. By default the three hooks do nothing.
package protocol SnapshotWrapper: Snapshot {
  var snapshot: any Snapshot { get }

  /// Carries out one call of `snapshot`.
  func call<Result>(_ read: () throws -> Result) rethrows -> Result

  /// Called before each look-up, and with each entry of a scan.
  func noteRead() throws

  /// Shows the caller one entry, within `call`.
  func show<Result>(_ body: () throws -> Result) rethrows -> Result
}

extension SnapshotWrapper {
  package func call<Result>(_ read: () throws -> Result) rethrows -> Result { try read() }
  package func noteRead() throws {}
  package func show<Result>(_ body: () throws -> Result) rethrows -> Result { try body() }

  package func record(for key: ObjectKey) throws -> StoredRecord? {
    try lookUp { try snapshot.record(for: key) }
  }

  package func externalData(of key: ObjectKey, at slot: Int) throws -> ExternalData? {
    try lookUp { try snapshot.externalData(of: key, at: slot) }
  }

  package func contains(_ key: ObjectKey) throws -> Bool {
    try lookUp { try snapshot.contains(key) }
  }

  package func link(at place: LinkPlace, to target: ObjectKey) throws -> UInt64? {
    try lookUp { try snapshot.link(at: place, to: target) }
  }

  package func count(of entity: EntityNumber) throws -> Int {
    try call { try snapshot.count(of: entity) }
  }

  // These are constants of a snapshot: to ask for them is not a read.

  package func generation(ofStoreAt place: Int) -> UInt64 {
    snapshot.generation(ofStoreAt: place)
  }

  package func shows(_ tag: UInt64) -> Bool { snapshot.shows(tag) }

  package func changedKeys(
    of generations: ClosedRange<UInt64>, ofStoreAt place: Int
  ) throws -> [ChangedKeys]? {
    try call { try snapshot.changedKeys(of: generations, ofStoreAt: place) }
  }

  package func visitRecords(
    of keys: [ObjectKey],
    _ body: (ObjectKey, _ generation: UInt64, _ record: UnsafeRawBufferPointer?) throws -> Void
  ) throws {
    try call {
      try snapshot.visitRecords(of: keys) { key, generation, record in
        try entry { try body(key, generation, record) }
      }
    }
  }

  package func scanRecords(
    of entity: EntityNumber,
    _ body: (ObjectKey, _ generation: UInt64, _ record: UnsafeRawBufferPointer) throws -> ScanStep
  ) throws {
    try call {
      try snapshot.scanRecords(of: entity) { key, generation, record in
        try entry { try body(key, generation, record) }
      }
    }
  }

  package func scanKeys(of entity: EntityNumber, _ body: (ObjectKey) throws -> ScanStep) throws {
    try call { try snapshot.scanKeys(of: entity) { key in try entry { try body(key) } } }
  }

  package func scanIndex(
    _ index: PropertyNumber, in range: KeyRange, isReversed: Bool,
    _ body: (_ entry: UnsafeRawBufferPointer, ObjectKey) throws -> ScanStep
  ) throws {
    try call {
      try snapshot.scanIndex(index, in: range, isReversed: isReversed) { bytes, key in
        try entry { try body(bytes, key) }
      }
    }
  }

  package func countEntries(of index: PropertyNumber, in range: KeyRange) throws -> Int {
    try lookUp { try snapshot.countEntries(of: index, in: range) }
  }

  package func countEntries(
    of index: PropertyNumber, in range: KeyRange, atMost most: Int
  ) throws -> Int? {
    try lookUp { try snapshot.countEntries(of: index, in: range, atMost: most) }
  }

  package func scanRuns(
    of index: PropertyNumber, in range: KeyRange,
    _ body: (_ value: UnsafeRawBufferPointer, _ entryCount: Int) throws -> ScanStep
  ) throws {
    try call {
      try snapshot.scanRuns(of: index, in: range) { value, entryCount in
        try entry { try body(value, entryCount) }
      }
    }
  }

  package func wordStatistics(of index: PropertyNumber) throws -> WordStatistics {
    try lookUp { try snapshot.wordStatistics(of: index) }
  }

  package func skipEntries(
    of index: PropertyNumber, in range: KeyRange, isReversed: Bool, upTo most: Int
  ) throws -> SkippedEntries {
    try lookUp {
      try snapshot.skipEntries(of: index, in: range, isReversed: isReversed, upTo: most)
    }
  }

  package func scanLinks(
    at place: LinkPlace, _ body: (_ target: ObjectKey, _ position: UInt64) throws -> ScanStep
  ) throws {
    try call {
      try snapshot.scanLinks(at: place) { target, position in
        try entry { try body(target, position) }
      }
    }
  }

  private func lookUp<Result>(_ read: () throws -> Result) throws -> Result {
    try noteRead()
    return try call(read)
  }

  private func entry<Result>(_ body: () throws -> Result) throws -> Result {
    try noteRead()
    return try show(body)
  }
}
