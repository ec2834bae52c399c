// SPDX-License-Identifier: Apache-2.0
package import StrataModel

extension ContextLayer {
  /// A child's save on its way into the context that owns this layer.
  package struct Push: Sendable {
    /// The child's saved changes, complete only with respect to the child.
    package private(set) var segment: Segment
    /// The objects that integrating it changes, those that its deletes reach included.
    package let touched: [ObjectKey]
    /// How much the child knew of the state beneath the receiver; nil if no change in the push
    /// depends on it.
    package let senderPosition: SenderPosition?
    /// The state beneath the receiver, of the objects that the child was in doubt of.
    package let ground: Ground
    /// Whether the child was used inside a turn of the receiver: then it is part of the savepoints
    /// under way there.
    package let isInReceiversTurn: Bool
    /// Whether the child's merge policy has decided on conflicts with the receiver's changes.
    package let isChecked: Bool
    /// How often a planted fault has repeated the integration.
    var repeatCount = 0

    package init(
      segment: Segment, touched: [ObjectKey], senderPosition: SenderPosition?,
      ground: Ground = Ground(), isInReceiversTurn: Bool = false, isChecked: Bool = false
    ) {
      self.segment = segment
      self.touched = touched
      self.senderPosition = senderPosition
      self.ground = ground
      self.isInReceiversTurn = isInReceiversTurn
      self.isChecked = isChecked
    }

    /// The same push with its changes in another form.
    package func carrying(_ segment: Segment) -> Push {
      var push = self
      push.segment = segment
      return push
    }
  }
}
