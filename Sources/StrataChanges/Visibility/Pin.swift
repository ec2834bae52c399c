// SPDX-License-Identifier: Apache-2.0

/// One state of what lies beneath a context, held so that it can be read again and again: the
/// ancestors' published segments and a snapshot of the store, as of one moment.
///
/// It lies in the layer of the pinned context, so the context's children read through it. Contexts
/// with the same parent may share one.
///
/// ## Lifetime
/// It keeps the store's old pages from being reused, so the file grows while others save. It goes with
/// the last context and token that hold it.
///
/// ## Isolation
/// Sendable: constant, and the snapshot can be shared.
package final class Pin: Sendable {
  /// Near to far, without those that the snapshot shows.
  package let segments: [Segment]
  package let snapshot: any Snapshot & Sendable
  private let parent: Layer?
  private let source: any SnapshotSource

  init(
    segments: [Segment], snapshot: any Snapshot & Sendable, parent: Layer?,
    source: any SnapshotSource
  ) {
    self.segments = segments
    self.snapshot = snapshot
    self.parent = parent
    self.source = source
  }

  /// Whether this is a state of what lies beneath the context of `layer`.
  package func isBeneath(_ layer: Layer) -> Bool {
    parent === layer.parent && source === layer.source
  }
}

extension Layer {
  /// Pins what lies beneath this layer's context now.
  ///
  /// - Parameter share: makes a snapshot of the store one that several isolations can use.
  /// - Throws: `StoreError`, if the store has no snapshot to give; the former pin is kept then.
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
        segments: ReadView.hidden(beneath?.segments ?? [], from: snapshot, schema),
        snapshot: snapshot, parent: parent, source: source)
      if setPin(pin, ifStill: revision) { return }
    }
  }

  /// Takes `pin` as what lies beneath; nil takes any pin away.
  ///
  /// - Precondition: it is beneath this layer.
  package func setPin(_ pin: Pin?) {
    precondition(pin?.isBeneath(self) ?? true)
    while !setPin(pin, ifStill: current.revision) {}
  }

  private func setPin(_ pin: Pin?, ifStill revision: UInt64) -> Bool {
    // The layer's children see another state from now on. No feed tells the difference.
    let news = feed.isFollowed ? News(origin: nil, keys: nil) : nil
    return transit(ifStill: revision, telling: news) {
      $0.setPin(pin)
      return true
    }
  }
}
