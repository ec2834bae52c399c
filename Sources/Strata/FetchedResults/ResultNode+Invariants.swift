// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives

extension ResultNode: CheckedInvariants {
  /// Looks at this node and its children: the nodes beneath those were looked at when they were
  /// made.
  package var brokenInvariant: String? {
    [left, right].contains { $0.map { $0.weight > weight } ?? false }
      ? "I1 A node's `weight` is not less than its children's." : nil
  }
}
