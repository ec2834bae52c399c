// SPDX-License-Identifier: Apache-2.0
import StrataRecord

// The state beneath a context: the changes that its ancestors have published, copied at one moment.

extension ContextLayer {
  /// The state beneath a context.
  package struct Beneath {
    /// Near to far.
    package let segments: [Segment]
    /// The pin that the segments end with; nil if the store's newest state is beneath them.
    package let pin: Pin?
    /// How far the ancestors' feeds have come with the segments, near to far; nil above a pin.
    package let bookmarks: [ChangeFeed.Bookmark]?
    /// The revisions of the layers that were copied, near to far, as of the same moment.
    let revisions: [UInt64]

    /// Roughly the bytes of a change beside its record.
    private static let changeByteCount = 128

    /// Whether the changes take up few bytes. O(changes), up to the bound.
    func hasFewBytes(atMost byteCountMax: Int) -> Bool {
      var room = byteCountMax
      for segment in segments {
        room -= segment.size * Self.changeByteCount
        if room < 0 { return false }
        let changes = segment.changes
        for place in changes.values.indices {
          // By part: a copy of the change would count references to all that it holds.
          guard changes.values[place].external.isEmpty else { return false }
          room -= changes.values[place].record?.byteCount ?? 0
        }
        if room < 0 { return false }
      }
      return true
    }
  }

  /// The state beneath the context of this layer: the published changes of its ancestors, down to
  /// the first pin or to the store, copied in one critical section.
  package func beneath() -> Beneath { copy(chain, from: self) }

  /// Whether no ancestor has changed its state since. Inside `lock`.
  func isStill(_ beneath: Beneath) -> Bool {
    zip(chain, beneath.revisions).dropFirst().allSatisfy { $0.state.revision == $1 }
  }

  /// The state beneath the children of this layer's context.
  package func published() -> Beneath { copy(chain, from: nil) }

  /// - Parameter reader: the layer whose own published segments are left out.
  private func copy(_ layers: [ContextLayer], from reader: ContextLayer?) -> Beneath {
    var overlays: [Overlay] = []
    var bookmarks: [ChangeFeed.Bookmark] = []
    var revisions: [UInt64] = []
    overlays.reserveCapacity(layers.count)
    bookmarks.reserveCapacity(layers.count)
    revisions.reserveCapacity(layers.count)
    if PlantedFault.lockPerLayer.isPlanted(in: schema) {
      return Beneath(
        segments: segmentsOneByOne(layers, from: reader), pin: nil, bookmarks: nil, revisions: [])
    }
    let pin: Pin? = lock.withLock {
      for layer in layers {
        revisions.append(layer.state.revision)
        if layer !== reader {
          overlays.append(layer.state.published)
          bookmarks.append(layer.feed.end)
        }
        if let pin = layer.state.pin { return pin }
      }
      return nil
    }
    return Beneath(
      segments: overlays.flatMap(\.segments) + (pin?.segments ?? []), pin: pin,
      bookmarks: pin == nil ? bookmarks : nil, revisions: revisions)
  }

  private func segmentsOneByOne(_ layers: [ContextLayer], from reader: ContextLayer?) -> [Segment] {
    layers.flatMap { layer in
      defer { if layer !== reader { PausePoint.betweenHolds.reach(schema) } }
      let state = layer.current
      return layer === reader ? [] : state.published.segments
    }
  }
}
