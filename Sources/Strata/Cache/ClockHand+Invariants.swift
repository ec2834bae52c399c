// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives

extension ClockHand: CheckedInvariants {
  package var brokenInvariant: String? {
    if pause > 0, futileCount <= Self.futileCountMax {
      return "I1 The hand pauses only after more than `futileCountMax` consecutive futile moves."
    }
    if pauseLeft > pause || pause > Self.pauseMax {
      return "I2 No more of a pause is left than `pause`, which is `pauseMax` at most."
    }
    return nil
  }
}
