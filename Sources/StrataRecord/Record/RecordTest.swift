// SPDX-License-Identifier: Apache-2.0

/// A condition on the bytes of records, compiled for one layout.
///
/// A scan applies it in its innermost loop. So it is a single closure over the places that the
/// layout gives to slots: it looks nothing up and counts no references.
@usableFromInline
package struct RecordTest: Sendable {
  @usableFromInline let isTrue: @Sendable (UnsafeRawPointer) -> Bool

  /// - Parameter isTrue: receives the first byte of a record that is valid in the layout.
  package init(_ isTrue: @escaping @Sendable (UnsafeRawPointer) -> Bool) { self.isTrue = isTrue }

  /// Creates the test that a record passes if it passes all of `tests`.
  package init(all tests: [RecordTest]) {
    switch tests.count {
    case 0: self = .all
    case 1: self = tests[0]
    default: self.init { start in tests.allSatisfy { $0.isTrue(start) } }
    }
  }

  /// The test that all records pass.
  package static let all = RecordTest { _ in true }

  /// Whether a record passes the test. An empty buffer is not a record and passes no test.
  ///
  /// - Parameter record: the bytes of a record that is valid in the layout.
  @inlinable @inline(__always)
  package func passes(_ record: UnsafeRawBufferPointer) -> Bool {
    record.baseAddress.map(isTrue) ?? false
  }

  /// - Parameter start: the first byte of a record that is valid in the layout.
  @inlinable @inline(__always)
  package func passes(at start: UnsafeRawPointer) -> Bool { isTrue(start) }
}
