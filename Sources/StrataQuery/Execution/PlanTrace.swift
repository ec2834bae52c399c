// SPDX-License-Identifier: Apache-2.0
import StrataRecord

/// Records the outcome of each source of a plan during execution, for `explain`. Other fetches have
/// no trace.
///
/// ## Isolation
/// It belongs to one fetch.
final class PlanTrace {
  /// The sources that are being read, the innermost last, with the steps of their inputs.
  private var open: [(source: CandidateSource, inputs: [QueryExplanation.Step])] = []
  /// The completed steps.
  private(set) var steps: [QueryExplanation.Step] = []

  func begin(_ source: CandidateSource) { open.append((source, [])) }

  /// Ends the innermost source.
  ///
  /// - Parameter found: the number of keys; nil if there were too many.
  func end(found: Int?, _ reads: ReadCount) {
    guard let (source, inputs) = open.popLast() else { return }
    add(
      QueryExplanation.Step(
        source, found == nil ? .givenUp : .done, found: found, reads, inputs: inputs))
  }

  func skip(_ source: CandidateSource) {
    add(QueryExplanation.Step(source, .skipped, found: nil, ReadCount(), inputs: []))
  }

  private func add(_ step: QueryExplanation.Step) {
    if open.isEmpty { steps.append(step) } else { open[open.count - 1].inputs.append(step) }
  }
}

extension QueryExplanation.Step {
  fileprivate init(
    _ source: CandidateSource, _ outcome: QueryExplanation.Outcome, found: Int?, _ reads: ReadCount,
    inputs: [QueryExplanation.Step]
  ) {
    let (kind, detail): (QueryExplanation.Kind, String) =
      switch source {
      case .index(let access): (.index, access.description)
      case .keys: (.objects, "")
      case .union: (.union, "")
      case .intersection, .words: (.intersection, "")
      case .related(let hop, _):
        if case .target = hop.step {
          (.relationship, "targets of \(hop.name)")
        } else {
          (.relationship, hop.name)
        }
      }
    self.init(kind, detail, outcome, found: found, reads, inputs: inputs)
  }
}
