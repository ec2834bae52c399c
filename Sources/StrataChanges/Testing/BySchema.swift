// SPDX-License-Identifier: Apache-2.0
#if DEBUG
  import StrataPrimitives
  package import StrataRecord
  import Synchronization

  /// What tests have set for one open store, by its schema, as long as that lives: a schema that
  /// is made later, perhaps in the same place of memory, has no value.
  ///
  /// Every read of every test asks for it. So a store with nothing set is recognized without the
  /// lock, which would put threads of unrelated tests to sleep.
  ///
  /// ## Invariants
  /// - I1 `mask` has the bit of each schema that has a value.
  /// - I2 An entry counts only for the schema that it was set for.
  ///
  /// ## Isolation
  /// Sendable.
  package final class BySchema<Value: Sendable>: Sendable {
    private struct Entry {
      weak var schema: Schema?
      var value: Value
    }

    private let entries = CountedMutex<[ObjectIdentifier: Entry]>([:])
    private let mask = Atomic<UInt64>(0)

    package init() {}

    /// Sets the value of a schema; nil removes it.
    package func set(_ value: Value?, for schema: Schema) {
      // What was set may have the last reference to a store: it is released without the lock.
      let former = entries.withLock { entries in
        let former = entries
        entries = entries.filter { $0.value.schema != nil }
        entries[ObjectIdentifier(schema)] = value.map { Entry(schema: schema, value: $0) }
        // Releasing, with the acquiring load: what the test did before is visible to the code that
        // finds the value. A thread that the test starts afterwards, or lets go, finds the bit.
        mask.store(entries.keys.reduce(0) { $0 | Self.bit(of: $1) }, ordering: .releasing)
        return former
      }
      withExtendedLifetime(former) {}
    }

    /// The value of a schema, if one is set.
    package func value(for schema: Schema) -> Value? {
      let id = ObjectIdentifier(schema)
      guard mask.load(ordering: .acquiring) & Self.bit(of: id) != 0 else { return nil }
      return entries.withLock { entries in
        entries[id].flatMap { $0.schema === schema ? $0.value : nil }
      }
    }

    private static func bit(of schema: ObjectIdentifier) -> UInt64 {
      // Fibonacci hashing: the upper six bits depend on all others.
      let hash = UInt64(UInt(bitPattern: schema)) &* 0x9E37_79B9_7F4A_7C15
      return 1 << (hash >> 58)
    }
  }
#endif
