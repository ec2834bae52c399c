// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataPrimitives
import StrataRecord

/// The lengths of the texts that the store has of the objects that a segment changes, for the
/// statistics of an index of words. The texts are divided into words once for each state of the
/// store, and not for each fetch.
///
/// ## Lifetime
/// Lengths of one generation of each index are kept: the last one that was asked for. They go with
/// the segment.
///
/// ## Isolation
/// Sendable: a lock guards the lengths. Two threads that ask for some at once may both make them.
final class StoredLengths: Sendable {
  /// A text of the store.
  struct Text: Sendable {
    let object: ObjectKey
    /// The number of its words.
    let length: UInt32
  }

  private struct Known: Sendable {
    let generation: UInt64
    let texts: [Text]
  }

  private let known = CountedMutex<[PropertyNumber: Known]>([:])

  /// The lengths as of the generation; nil if they are not known.
  func texts(of index: PropertyNumber, in generation: UInt64) -> [Text]? {
    known.withLock { known in
      guard let found = known[index], found.generation == generation else { return nil }
      return found.texts
    }
  }

  func keep(_ texts: [Text], of index: PropertyNumber, in generation: UInt64) {
    known.withLock { $0[index] = Known(generation: generation, texts: texts) }
  }
}
