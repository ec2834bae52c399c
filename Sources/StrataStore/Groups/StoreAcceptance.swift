// SPDX-License-Identifier: Apache-2.0

/// Whether a store takes new objects of an entity.
package enum StoreAcceptance: Sendable, Hashable {
  case accepted
  case readOnly
  /// The entity is not in the store's configuration.
  case notConfigured
}
