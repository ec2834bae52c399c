// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Names a layer for as long as the process lives: what the news in a feed say of where they come
/// from, without keeping the layer alive.
package struct LayerIdentity: Sendable, Hashable {
  private let number: UInt64

  private static let last = Atomic<UInt64>(0)

  /// An identity that no other layer has.
  package init() { number = Self.last.add(1, ordering: .relaxed).newValue }
}
