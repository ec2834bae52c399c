// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives
import Synchronization

/// The state beneath one context, copied again only after something was published in it.
///
/// A copy takes the layers' lock and counts references that all threads share, which costs the more
/// the more threads read. Most turns of a reader find the state that its last turn has found: they
/// compare one number for each layer of the chain.
///
/// ## Why a kept copy is as good as a new one
/// - A copy and its revisions are of one critical section. So it is the state of one moment.
/// - A layer's revision only grows. If each layer has the copy's revision when it is compared, then
///   no layer had another one when the first was compared: at that moment a new copy would have
///   had the same content, although the revisions are not compared at once. A push, which changes
///   two layers, is seen in both or in none.
/// - A transition shows its revision before it releases the lock (`ContextLayer`, I4). A thread
///   that knows of a save that has returned therefore finds another revision than an older copy's.
/// - The snapshot is taken afterwards. It may be much newer than the copy: the tags allow for any
///   time between the two (Docs/Decisions/034-the-tagged-view.md), and the tags themselves, which
///   change without a revision, are read for each view.
/// - A copy is replaced by newer ones only. So no reader goes back.
///
/// ## Invariants
/// - I1 A copy is never changed, and never kept without the revisions of its whole chain.
///
/// ## Lifetime
/// A copy keeps its segments alive until the next view, after their changes were saved perhaps, and
/// a context may sleep for long. So only a copy with few and small changes is kept, and none
/// through a pin: the other turns copy again.
///
/// ## Isolation
/// The context's.
package struct KeptBeneath {
  /// A copy with changes of more bytes than this is not kept.
  private static let byteCountMax = 1 << 16

  private let layer: ContextLayer
  // Safety: `layer` owns its parent, and each parent its own.
  /// The chain, near to far. To count a reference would take longer than to compare.
  private let chain: [Uncounted<ContextLayer>]
  private var kept: ContextLayer.Beneath?

  /// - Parameter layer: the context's own.
  package init(_ layer: ContextLayer) {
    self.layer = layer
    chain = layer.chain.map { Uncounted($0) }
  }

  /// Waits until the work that the calling task has done in the sections of ancestors' actors is
  /// published. One atomic load for each ancestor, if there is nothing to wait for.
  package func passSections() {
    if PlantedFault.sectionUnawaited.isPlanted(in: layer.schema) { return }
    var index = 1
    while index < chain.count {
      chain[index].with { $0.passSection() }
      index += 1
    }
  }

  /// The state now.
  package mutating func current() -> ContextLayer.Beneath {
    if let kept {
      let isCurrent = isCurrent(kept)
      PausePoint.revisionsCompared.reach(layer.schema)
      if isCurrent { return kept }
    }
    let beneath = layer.beneath()
    kept = canKeep(beneath) ? beneath : nil
    return beneath
  }

  /// Whether a layer may have changed after `copy` was made and before the snapshot was taken that
  /// the calling thread has taken last. O(layers).
  package func hasChanged(since copy: ContextLayer.Beneath, before _: any Snapshot) -> Bool {
    // The revisions are loaded after the snapshot was taken. A load alone keeps only later ones
    // behind it.
    atomicMemoryFence(ordering: .acquiring)
    return copy.revisions.count != chain.count || !hasRevisions(of: copy)
  }

  /// Whether no layer has changed since `copy` was made. O(layers).
  private func isCurrent(_ copy: ContextLayer.Beneath) -> Bool {
    PlantedFault.staleCopy.isPlanted(in: layer.schema) || hasRevisions(of: copy)
  }

  private func hasRevisions(of copy: ContextLayer.Beneath) -> Bool {
    for index in chain.indices
    where chain[index].with({ $0.revision }) != copy.revisions[index] { return false }
    return true
  }

  private func canKeep(_ copy: ContextLayer.Beneath) -> Bool {
    copy.pin == nil && copy.revisions.count == chain.count
      && copy.hasFewBytes(atMost: Self.byteCountMax)
  }
}
