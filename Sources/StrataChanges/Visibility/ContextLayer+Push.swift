// SPDX-License-Identifier: Apache-2.0
package import StrataModel
package import StrataRecord

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

extension ContextLayer {
  /// Changes that pass a layer on their way to the store, in a save of contexts below it. The layer
  /// does not show them.
  ///
  /// A checked save of the same objects into the layer waits for the store's decision: made before
  /// it, the save would be a conflict of the layer's own context.
  ///
  /// ## Lifetime
  /// The layer has it until the store has the changes, or they are refused.
  ///
  /// ## Isolation
  /// Sendable: constant.
  package final class Passage: Sendable {
    private let changes: Overlay
    private let layer: ContextLayer
    /// Takes the changes back, or waits for the store's decision.
    package let decide: @Sendable () throws -> Void

    package init(
      of changes: Overlay, through layer: ContextLayer,
      decide: @escaping @Sendable () throws -> Void
    ) {
      self.changes = changes
      self.layer = layer
      self.decide = decide
    }

    /// The store has decided.
    ///
    /// - Parameter isStored: whether it has the changes.
    package func end(isStored: Bool) { layer.end(self, isStored: isStored) }

    /// Whether `save` and the passage change an object otherwise than by merge rules alone.
    fileprivate func isCrossed(by save: Segment, _ schema: Schema) -> Bool {
      save.changes.contains { key, change in
        // An object that came and went is in no conflict.
        guard !change.isUnseenDeletion, let passing = changes.change(for: key),
          !passing.isUnseenDeletion
        else { return false }
        guard change.kind == .update, passing.kind == .update,
          let merged = schema.entity(key.entity)?.mergedSlots
        else { return true }
        return !change.slots.union(passing.slots).isSubset(of: merged)
      }
    }
  }
}

extension ContextLayer.State {
  /// A passage of the same objects; nil if there is none.
  package func passage(crossedBy save: Segment, _ schema: Schema) -> ContextLayer.Passage? {
    passages.first { $0.isCrossed(by: save, schema) }
  }

  /// The changes with which a checked save into the layer is compared, above the store's state.
  package var compared: Overlay { isFrozenStored ? published.unfrozen : published }
}
