// SPDX-License-Identifier: Apache-2.0
import NestingOracle
import StrataTestSupport
import Testing

/// A mistake that an obvious variant of the engine would make, and a short sequence that shows it.
private struct Planted: CustomTestStringConvertible, Sendable {
  let fault: String
  let sequence: String

  var testDescription: String { fault }

  static let all = [
    // A held copy that is older than the saved state takes the generation of the save.
    Planted(
      fault: "relabelTooEarly",
      sequence: "hold C x; set R x a; save R; set C x b; save C; save R"),
    // A child pushes all values that it has read, not only those that it has set.
    Planted(
      fault: "wholeRecords", sequence: "hold C x; set R x a; set C x b; save C; save R"),
    // A policy decides on a text or a link, and the values derived from it stay as they were.
    Planted(
      fault: "decidedUnderived",
      sequence: """
        policy object; insert R y; save R; set R y b; link R y x; set S y a; save S; save R
        """),
    // A push brings back an object that the receiver has deleted.
    Planted(fault: "updateRevives", sequence: "hold C x; delete R x; set C x a; save C"),
    // A deletion leaves links of objects that its maker has not seen.
    Planted(
      fault: "deletesStopShort", sequence: "delete C x; insert R y; link R y x; save C; save R"),
    // Others' saved values of other properties are overwritten with their former values.
    Planted(
      fault: "maskSkipped",
      sequence: "hold R x; set S x b; save S; set D x a; set R x a; save D; save R"),
    // A context that merges automatically does not hear of its parent's parent.
    Planted(fault: "eventsDropped", sequence: "automatic G; hold G x; set R x a; fetch G"),
    // A push is laid over newer edits.
    Planted(fault: "integratedTwice", sequence: "set C x a; save C; set R x a"),
    // A child's save replaces what a sibling has saved, although its policy looks for conflicts.
    Planted(
      fault: "pushUnchecked",
      sequence: "policy error, checked C error; hold C x; set D x a; save D; set C x a; save C"),
    // A refused save through all levels leaves its changes in an ancestor.
    Planted(
      fault: "throughPushes",
      sequence: "policy error, looks all; hold C x; set S x a; save S; set C x a; through C"),
    // It takes the ancestor's own changes back.
    Planted(
      fault: "refusalTakesAll",
      sequence: """
        policy error, looks all; insert R y; hold C x; set S x a; save S; set C x a; through C
        """),
    // The policy of the parent decides on the child's conflict with it.
    Planted(
      fault: "receiversPolicy",
      sequence: """
        policy error, checked C store, looks all; hold C x; set S x a; save S; set C x a; through C
        """),
    // A child edits an object that its parent has inserted and taken back.
    Planted(
      fault: "doubtForgotten",
      sequence: "insert R y; set C y a; rollback R; save C; save R"),
  ]
}

@Suite(.serialized) struct `A mistake in nested contexts` {
  @Test(arguments: Planted.all)
  private func `is not made`(_ planted: Planted) async throws {
    let complaint = try await planted.complaint(withFault: false)
    #expect(complaint == nil)
  }

  @Test(arguments: Planted.all)
  private func `is seen when it is planted`(_ planted: Planted) async throws {
    let complaint = try await planted.complaint(withFault: true)
    #expect(complaint != nil)
  }
}

extension Planted {
  /// The difference from the promise; nil if there is none.
  fileprivate func complaint(withFault isPlanted: Bool) async throws -> String? {
    try await onOwnThread {
      let trial = try Trial(sequence)
      return (isPlanted ? try trial.run(with: Fault(fault)) : trial.run())?.complaint
    }
  }
}
