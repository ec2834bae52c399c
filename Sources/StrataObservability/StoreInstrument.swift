// SPDX-License-Identifier: Apache-2.0

#if Observability
  import StrataStore

  /// Makes metrics, spans and messages of the work with one store.
  ///
  /// ## Isolation
  /// Sendable: constant. Metrics are reached on the queue of `Deliveries` alone.
  struct StoreInstrument: Instrument {
    private let storeName: String
    private let slowFetchThreshold: Duration?
    private let metrics: StoreMetrics

    init(_ storeName: String, slowFetchThreshold: Duration?) {
      self.storeName = storeName
      self.slowFetchThreshold = slowFetchThreshold
      metrics = StoreMetrics(storeName)
    }

    func note(_ event: InstrumentEvent) {
      Deliveries.deliver { [metrics] in
        switch event {
        case .commit(let commit): metrics.count(commit)
        case .objectReads(let hitCount, let missCount):
          metrics.countReads(hitCount: hitCount, missCount: missCount)
        }
      }
    }

    /// A tracer that uses a store is not observed: its own spans would never end.
    func begin(_ operation: ObservedOperation) -> any OperationInProgress {
      if TracerCall.isUnderWay { return UnobservedOperation() }
      return TracerCall.during {
        TracedOperation(operation, inStoreNamed: storeName, endingWith: noteEnd)
      }
    }

    private func noteEnd(
      of operation: ObservedOperation, _ outcome: OperationOutcome, after duration: Duration
    ) {
      let isFailure = outcome.error != nil
      var isSlow = false
      if case .fetch(let kind, let entity) = operation, let slowFetchThreshold,
        duration >= slowFetchThreshold
      {
        isSlow = true
        let plan = outcome.plan?()
        StrataLog.log(
          .slowFetch(
            kind, of: entity, inStoreNamed: storeName, duration, plan: plan,
            rowCount: outcome.rowCount))
      }
      Deliveries.deliver { [metrics, isSlow] in
        switch operation {
        case .save(let isToStore):
          metrics.countSave(isToStore: isToStore, isFailure: isFailure, duration)
        case .fetch(let kind, let entity):
          metrics.countFetch(
            kind, of: entity, isFailure: isFailure, isSlow: isSlow, duration)
        }
      }
    }
  }
#endif
