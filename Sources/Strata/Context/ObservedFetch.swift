// SPDX-License-Identifier: Apache-2.0
import StrataQuery
import StrataStore

/// The plan and the number of results of a fetch that an instrument observes.
///
/// ## Isolation
/// The context's, for the length of the fetch.
final class ObservedFetch {
  var plan: QueryPlan?
  var rowCount = 0
}

extension ObjectFetcher {
  /// Runs a fetch that an instrument observes.
  ///
  /// - Parameter fetch: notes the plan and the number of results.
  func observing<Result>(
    _ kind: ObservedOperation.FetchKind, ofEntityNamed entity: String,
    by instrument: any Instrument, _ fetch: (ObservedFetch) throws -> Result
  ) throws -> Result {
    let observed = ObservedFetch()
    let operation = instrument.begin(.fetch(kind, entity: entity))
    var outcome = OperationOutcome()
    defer {
      if let plan = observed.plan { outcome.plan = { plan.description } }
      operation.end(outcome)
    }
    do {
      let result = try operation.within { try fetch(observed) }
      outcome.rowCount = observed.rowCount
      return result
    } catch {
      outcome.error = error
      throw error
    }
  }
}
