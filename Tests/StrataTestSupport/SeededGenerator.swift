// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Random numbers that a seed reproduces (SplitMix64). A test prints its seed when it fails.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  public init(seed: UInt64) { state = seed }

  /// The seed that a random test begins with: `STRATA_MODEL_SEED`, or else another one each time.
  /// Some billions of seeds can follow it.
  public static func firstSeed() -> UInt64 {
    ProcessInfo.processInfo.environment["STRATA_MODEL_SEED"].flatMap(UInt64.init)
      ?? .random(in: 0 ... .max / 2)
  }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
