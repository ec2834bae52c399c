// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataRecord

extension ReadView {
  /// The highest key that an object may have whose to-one slot, covered by `index`, leads to
  /// `target`; nil if there is no such object. A pending change may have changed the slot of the
  /// object with that key.
  ///
  /// - Complexity: O(segments × log pending + log entries of the store).
  func lastReferrer(to target: ObjectKey, index: PropertyNumber) throws -> ObjectKey? {
    let range = KeyRange(leadingTo: target)
    var last: ObjectKey?
    for segment in layers.segments {
      guard let run = segment.run(of: index), let place = run.indices(in: range).last,
        let key = run.withBytes(at: place, { KeyEncoder.objectKey(ofEntry: $0) })
      else { continue }
      last = max(last ?? key, key)
    }
    try snapshot.scanIndex(index, in: range, isReversed: true) { _, key in
      last = max(last ?? key, key)
      return .stop
    }
    return last
  }
}
