// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives

/// One state of everything beneath a context, held so that it can be read repeatedly: the
/// ancestors' published segments and a snapshot of the store, as of one moment.
///
/// The layer of the pinned context holds it, so the context's children read through it. Contexts
/// with the same parent may share one.
///
/// ## Lifetime
/// It prevents the reuse of the store's old pages, so the file grows while others save. It is
/// released with the last context and token that hold it.
///
/// ## Isolation
/// Sendable: constant, and the snapshot can be shared.
package final class Pin: Sendable {
  /// Near to far, without those that the snapshot shows.
  package let segments: [Segment]
  package let snapshot: any Snapshot & Sendable
  private let parent: ContextLayer?
  private let source: any SnapshotSource

  init(
    segments: [Segment], snapshot: any Snapshot & Sendable, parent: ContextLayer?,
    source: any SnapshotSource
  ) {
    self.segments = segments
    self.snapshot = snapshot
    self.parent = parent
    self.source = source
  }

  /// Whether this is a state beneath the context of `layer`.
  package func isBeneath(_ layer: ContextLayer) -> Bool {
    parent === layer.parent && source === layer.source
  }
}

extension ContextLayer {
  /// Pins the state beneath this layer's context now.
  ///
  /// - Parameter share: makes a snapshot of the store that several isolations can use.
  /// - Throws: `StoreError`, if the store cannot make a snapshot; the former pin is kept then.
  package func pin(
    sharing share: (any Snapshot) -> any Snapshot & Sendable
  ) throws {
    while true {
      let revision = current.revision
      let beneath = parent?.published()
      PausePoint.viewTaken.reach(schema)
      let snapshot = try beneath?.pin?.snapshot ?? share(source.snapshot())
      PausePoint.snapshotTaken.reach(schema)
      let pin = Pin(
        segments: ReadView.segments(beneath?.segments ?? [], notShownBy: snapshot, schema),
        snapshot: snapshot, parent: parent, source: source)
      if setPin(pin, ifStill: revision) { return }
    }
  }

  /// Uses `pin` as the state beneath the context; nil removes any pin.
  ///
  /// - Precondition: it is beneath this layer.
  package func setPin(_ pin: Pin?) {
    require(pin?.isBeneath(self) ?? true, "A context is pinned to a state beneath it.")
    while !setPin(pin, ifStill: current.revision) {}
  }

  private func setPin(_ pin: Pin?, ifStill revision: UInt64) -> Bool {
    // The layer's children see another state from now on. No feed tells the difference. Those that
    // began under a pin follow no feed, and are told all the same.
    transit(ifStill: revision, telling: ChangeEvent(origin: nil, keys: nil)) {
      $0.setPin(pin)
      return true
    }
  }
}
