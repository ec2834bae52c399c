// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Identifies a layer for the lifetime of the process: the events in a feed name their origin by
/// it, without keeping the layer alive.
package struct LayerIdentity: Sendable, Hashable {
  private let number: UInt64

  private static let last = Atomic<UInt64>(0)

  /// An identity that no other layer has.
  package init() { number = Self.last.add(1, ordering: .relaxed).newValue }
}
