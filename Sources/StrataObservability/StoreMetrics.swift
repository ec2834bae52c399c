// SPDX-License-Identifier: Apache-2.0

#if Observability
  import Metrics
  import StrataStore

  /// The metrics of one store, made at their first use.
  ///
  /// | label | type | further dimensions |
  /// | --- | --- | --- |
  /// | `strata.saves` | counter | `destination` (store, parent), `outcome` (ok, error) |
  /// | `strata.save.duration` | timer | `destination` |
  /// | `strata.commits` | counter | `kind` (save, batch), `outcome` |
  /// | `strata.commit.duration` | timer | `kind` |
  /// | `strata.conflicts` | counter of objects | `decision` (refused, merged) |
  /// | `strata.fetches` | counter | `entity`, `operation`, `outcome` |
  /// | `strata.fetches.slow` | counter | `entity`, `operation` |
  /// | `strata.fetch.duration` | timer | `entity`, `operation` |
  /// | `strata.cache.hits`, `strata.cache.misses` | counters of objects | |
  /// | `strata.file.size.bytes` | meter | |
  /// | `strata.oldest_reader.commits`, `strata.oldest_reader.seconds` | meters | |
  ///
  /// Each has the dimension `store`, the name of the store.
  ///
  /// ## Isolation
  /// The queue of `Deliveries`.
  // Safety: reached on the serial queue of `Deliveries` alone.
  final class StoreMetrics: @unchecked Sendable {
    private let store: String
    private var counters: [Key: Counter] = [:]
    private var timers: [Key: Metrics.Timer] = [:]
    private var meters: [Key: Meter] = [:]

    private struct Key: Hashable {
      let label: String
      /// Names and values by turns.
      let dimensions: [String]
    }

    init(_ store: String) { self.store = store }

    func countSave(isToStore: Bool, isFailure: Bool, _ duration: Duration) {
      let destination = ["destination", isToStore ? "store" : "parent"]
      counter("strata.saves", destination + outcome(isFailure)).increment()
      timer("strata.save.duration", destination).record(duration: duration)
    }

    func countFetch(
      _ kind: ObservedOperation.FetchKind, of entity: String, isFailure: Bool, isSlow: Bool,
      _ duration: Duration
    ) {
      let target = ["entity", entity, "operation", kind.operationName]
      counter("strata.fetches", target + outcome(isFailure)).increment()
      if isSlow { counter("strata.fetches.slow", target).increment() }
      timer("strata.fetch.duration", target).record(duration: duration)
    }

    func count(_ commit: ObservedCommit) {
      let kind = ["kind", commit.kind.rawValue]
      counter("strata.commits", kind + outcome(commit.isRefused)).increment()
      timer("strata.commit.duration", kind).record(duration: commit.duration)
      if commit.conflictCount > 0 {
        counter("strata.conflicts", ["decision", "refused"]).increment(by: commit.conflictCount)
      }
      if commit.mergedCount > 0 {
        counter("strata.conflicts", ["decision", "merged"]).increment(by: commit.mergedCount)
      }
      guard let gauges = commit.gauges else { return }
      meter("strata.file.size.bytes").set(gauges.byteCount)
      meter("strata.oldest_reader.commits").set(gauges.oldestReader?.commitLag ?? 0)
      meter("strata.oldest_reader.seconds").set(
        gauges.oldestReader.map { $0.age / .seconds(1) } ?? 0)
    }

    func countReads(hitCount: Int, missCount: Int) {
      if hitCount > 0 { counter("strata.cache.hits").increment(by: hitCount) }
      if missCount > 0 { counter("strata.cache.misses").increment(by: missCount) }
    }

    // MARK: - The program's metrics

    private func outcome(_ isFailure: Bool) -> [String] { ["outcome", isFailure ? "error" : "ok"] }

    private func counter(_ label: String, _ dimensions: [String] = []) -> Counter {
      metric(label, dimensions, in: &counters) { Counter(label: label, dimensions: $0) }
    }

    private func timer(_ label: String, _ dimensions: [String]) -> Metrics.Timer {
      metric(label, dimensions, in: &timers) { Metrics.Timer(label: label, dimensions: $0) }
    }

    private func meter(_ label: String) -> Meter {
      metric(label, [], in: &meters) { Meter(label: label, dimensions: $0) }
    }

    private func metric<Metric>(
      _ label: String, _ dimensions: [String], in known: inout [Key: Metric],
      _ make: ([(String, String)]) -> Metric
    ) -> Metric {
      let key = Key(label: label, dimensions: dimensions)
      if let metric = known[key] { return metric }
      var pairs = [("store", store)]
      for place in stride(from: 0, to: dimensions.count, by: 2) {
        pairs.append((dimensions[place], dimensions[place + 1]))
      }
      let metric = make(pairs)
      known[key] = metric
      return metric
    }
  }
#endif
