// SPDX-License-Identifier: Apache-2.0
#if DEBUG
  import StrataPrimitives
  package import StrataRecord
  import Synchronization

  /// What tests have set for one open store, by its schema.
  ///
  /// Every read of every test asks for it. So a store with nothing set is recognized without the
  /// lock, which would put threads of unrelated tests to sleep.
  ///
  /// ## Invariants
  /// - I1 `mask` has the bit of each schema that has a value.
  ///
  /// ## Isolation
  /// Sendable.
  package final class BySchema<Value: Sendable>: Sendable {
    private let values = CountedMutex<[ObjectIdentifier: Value]>([:])
    private let mask = Atomic<UInt64>(0)

    package init() {}

    /// Sets the value of a schema; nil removes it.
    package func set(_ value: Value?, for schema: Schema) {
      values.withLock { values in
        values[ObjectIdentifier(schema)] = value
        // Releasing, with the acquiring load: what the test did before is visible to the code that
        // finds the value. A thread that the test starts afterwards, or lets go, finds the bit.
        mask.store(values.keys.reduce(0) { $0 | Self.bit(of: $1) }, ordering: .releasing)
      }
    }

    /// The value of a schema, if one is set.
    package func value(for schema: Schema) -> Value? {
      let schema = ObjectIdentifier(schema)
      guard mask.load(ordering: .acquiring) & Self.bit(of: schema) != 0 else { return nil }
      return values.withLock { $0[schema] }
    }

    private static func bit(of schema: ObjectIdentifier) -> UInt64 {
      // Fibonacci hashing: the upper six bits depend on all others.
      let hash = UInt64(UInt(bitPattern: schema)) &* 0x9E37_79B9_7F4A_7C15
      return 1 << (hash >> 58)
    }
  }
#endif
