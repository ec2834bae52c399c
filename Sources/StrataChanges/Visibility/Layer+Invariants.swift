// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives

extension Layer.State: CheckedInvariants {
  package var brokenInvariant: String? {
    frozenEra == nil && published.segments.contains(where: \.isFrozen)
      ? """
      I3 Segments are frozen only while a save of the layer's context to the store is under way.
      """ : nil
  }
}
