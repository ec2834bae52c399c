// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives

extension ContextLayer.State: CheckedInvariants {
  package var brokenInvariant: String? {
    frozenEpoch == nil && published.segments.contains(where: \.isFrozen)
      ? """
      I3 Segments are frozen only while a save of the layer's context to the store is under way.
      """ : nil
  }
}
