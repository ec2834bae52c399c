// SPDX-License-Identifier: Apache-2.0

/// A failed sequence of random work, as it is printed: the failure, the steps before it, and how to
/// repeat it.
public struct ModelFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// Which test it is of; empty if there is only one.
  public var name: String
  public var seed: UInt64
  public var stepCount: Int
  public var complaint: String
  /// The steps, one line each.
  public var trace: [String]
  /// A setting of the environment that shows it again.
  public var replay: String

  public init(
    name: String = "", seed: UInt64, stepCount: Int, complaint: String, trace: [String] = [],
    replay: String
  ) {
    self.name = name
    self.seed = seed
    self.stepCount = stepCount
    self.complaint = complaint
    self.trace = trace
    self.replay = replay
  }

  public var description: String {
    let head =
      (name.isEmpty ? "" : name + ": ") + "seed \(seed), \(stepCount) steps: \(complaint)"
    return ([head] + trace + [replay]).joined(separator: "\n  ")
  }
}
