// SPDX-License-Identifier: Apache-2.0

/// The number that a store's commit writes into the segments that it has saved: the generation of
/// the save, and in the bits above it which of the source's stores has it. For the first store, or
/// the only one, the number is the generation itself.
///
/// A save is to one store, so one number tells a view everything: the view leaves the segment out
/// if its snapshot of that store has reached the generation.
package enum CommitTag {
  /// A generation has 48 bits (`Envelope.generationMax`).
  private static let generationBitCount: UInt64 = 48

  /// - Parameter place: the place of the store's feed in `SnapshotSource.feeds`.
  package static func tag(_ generation: UInt64, ofStoreAt place: Int) -> UInt64 {
    UInt64(place) << generationBitCount | generation
  }

  /// The place of the store that has set `tag`, and the generation of its save.
  package static func parts(of tag: UInt64) -> (place: Int, generation: UInt64) {
    (Int(tag >> generationBitCount), tag & (1 << generationBitCount - 1))
  }
}
