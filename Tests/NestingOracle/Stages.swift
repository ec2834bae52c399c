// SPDX-License-Identifier: Apache-2.0

/// The stages of one thread, made when they are needed.
package final class Stages {
  private var stages: [Bool: Stage] = [:]
  private var last: Stage?

  private let fault: Fault?

  package init(fault: Fault? = nil) { self.fault = fault }

  func stage(isShared: Bool) throws -> Stage {
    let stage = try stages[isShared] ?? Stage(isShared: isShared, fault: fault)
    stages[isShared] = stage
    last = stage
    return stage
  }

  /// Removes the objects of the last sequence.
  func clear() throws { try last?.clear() }

  /// Releases the leftovers of a failure.
  func forget() { stages = [:] }
}
