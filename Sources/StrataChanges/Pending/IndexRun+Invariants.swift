// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataPrimitives
import StrataRecord

extension IndexRun: CheckedInvariants {
  package var brokenInvariant: String? {
    let areWhole = entries.indices.allSatisfy { place in
      let bytes = bytes(at: place)
      return entries[place].head == Self.head(of: bytes)
        && entries[place].object == KeyEncoder.objectKey(ofEntry: bytes)
        && (place == 0 || self.bytes(at: place - 1).isBelow(bytes))
    }
    return areWhole
      ? nil
      : """
      I1 Entries ascend bytewise without repetition, and the head and the object of each are its \
      first and its last 8 bytes.
      """
  }
}
