// SPDX-License-Identifier: Apache-2.0

/// The name of a context that holds a snapshot for longer than a turn.
///
/// ## Lifetime
/// As long as the snapshot is held: keep it beside the snapshot.
///
/// ## Isolation
/// Sendable: constant.
package final class SnapshotHolder: Sendable {
  let name: String
  /// The commit whose state is held.
  let number: UInt64

  init(name: String, number: UInt64) { (self.name, self.number) = (name, number) }
}

/// The holders in this process.
struct SnapshotHolders {
  private struct Entry {
    weak var holder: SnapshotHolder?
  }

  private var entries: [Entry] = []

  mutating func add(_ holder: SnapshotHolder) {
    entries.removeAll { $0.holder == nil }
    entries.append(Entry(holder: holder))
  }

  /// The name of a holder of a commit's state; nil if none is known.
  func name(of number: UInt64) -> String? {
    entries.lazy.compactMap(\.holder).first { $0.number == number }?.name
  }
}

extension Transaction {
  /// Notes a name for the reports of old readers.
  ///
  /// - Returns: an object to keep as long as the transaction reads the same state.
  package final func noteHolder(_ name: String) -> SnapshotHolder {
    environment.readers.noteHolder(name, of: transactionID)
  }
}
