// SPDX-License-Identifier: Apache-2.0

#if Observability
  import Foundation
  import InMemoryLogging
  import InMemoryTracing
  import Logging
  import Metrics
  import MetricsTestKit
  import Strata
  import StrataObservability
  import StrataTestSupport
  import Synchronization
  import Tracing

  /// The logging, metrics and tracing systems of this process, which keep all in memory.
  ///
  /// A process sets them up once, so all tests share them. A test looks at the output of its own
  /// stores, by their names.
  struct Systems: Sendable {
    static let shared = Systems()

    let logs: InMemoryLogHandler
    let metrics = HookedMetrics()
    let tracer = InMemoryTracer()

    private init() {
      var logs = InMemoryLogHandler()
      logs.logLevel = .trace
      self.logs = logs
      LoggingSystem.bootstrap { [logs] _ in logs }
      MetricsSystem.bootstrap(metrics)
      InstrumentationSystem.bootstrap(tracer)
    }
  }

  /// Test metrics that call a function for each increment of a counter.
  final class HookedMetrics: MetricsFactory {
    typealias Hook = @Sendable (_ label: String, _ store: String) -> Void

    private struct Installed {
      var hooks: [Hook] = []
    }

    let recorded = TestMetrics()
    private let installed = Mutex(Installed())

    func addHook(_ hook: @escaping Hook) { installed.withLock { $0.hooks.append(hook) } }

    private final class HookedCounter: CounterHandler {
      let counter: any CounterHandler
      let call: @Sendable () -> Void

      init(_ counter: any CounterHandler, _ call: @escaping @Sendable () -> Void) {
        (self.counter, self.call) = (counter, call)
      }

      func increment(by amount: Int64) {
        counter.increment(by: amount)
        call()
      }

      func reset() { counter.reset() }
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
      let store = dimensions.first { $0.0 == "store" }?.1 ?? ""
      return HookedCounter(recorded.makeCounter(label: label, dimensions: dimensions)) { [self] in
        for hook in installed.withLock({ $0.hooks }) { hook(label, store) }
      }
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
      recorded.makeMeter(label: label, dimensions: dimensions)
    }

    func makeRecorder(
      label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
      recorded.makeRecorder(label: label, dimensions: dimensions, aggregate: aggregate)
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
      recorded.makeTimer(label: label, dimensions: dimensions)
    }

    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
  }

  /// A store of one test that is observed, and what was observed of it.
  struct ObservedStore {
    let container: PersistentContainer
    /// The name of the store, which no other store of the process has.
    let name: String
    private let folder: TemporaryDirectory

    /// Only one test at a time starts observing with its settings and opens its store.
    private static let opening = Mutex<Void>(())

    /// - Parameter slowFetchThreshold: of the settings; nil for no slow fetches.
    init(
      _ model: ManagedObjectModel, slowFetchThreshold: Duration? = nil,
      autosave: PersistentContainer.Autosave = .manual
    ) throws {
      _ = Systems.shared
      folder = try TemporaryDirectory()
      name = "store-\(UUID().uuidString)"
      container = try Self.opening.withLock { [folder, name] _ in
        var settings = Observability.Settings()
        settings.slowFetchThreshold = slowFetchThreshold
        Observability.start(settings)
        return try PersistentContainer(
          at: folder.file("\(name).strata"), model: model, durability: .none, autosave: autosave)
      }
    }

    /// A new context above the store, beside the root.
    func newContext() -> ManagedObjectContext {
      ManagedObjectContext(parent: container.coordinator)
    }

    // MARK: - What was observed

    /// The total of a counter with all of these dimensions, and perhaps others.
    func total(_ label: String, _ dimensions: [String: String] = [:]) -> Int64 {
      Observability.flush()
      return Systems.shared.metrics.recorded.counters
        .filter { $0.label == label && has($0.dimensions, dimensions) }
        .reduce(0) { $0 + $1.totalValue }
    }

    /// The number of values of a timer with these dimensions, of which none is negative.
    func timingCount(_ label: String, _ dimensions: [String: String] = [:]) -> Int {
      Observability.flush()
      return Systems.shared.metrics.recorded.timers
        .filter { $0.label == label && has($0.dimensions, dimensions) }
        .reduce(0) { $0 + $1.values.count { $0 >= 0 } }
    }

    /// The last value of a meter.
    func gauge(_ label: String) -> Double? {
      Observability.flush()
      return Systems.shared.metrics.recorded.meters
        .first { $0.label == label && has($0.dimensions, [:]) }?.lastValue
    }

    private func has(_ dimensions: [(String, String)], _ wanted: [String: String]) -> Bool {
      let all = Dictionary(dimensions) { first, _ in first }
      return all["store"] == name && wanted.allSatisfy { all[$0.key] == $0.value }
    }

    /// The spans of the store that have ended, in this order.
    var spans: [FinishedInMemorySpan] {
      Systems.shared.tracer.finishedSpans.filter { $0.attributes.text("db.namespace") == name }
    }

    /// The log lines about the store.
    var logEntries: [InMemoryLogHandler.Entry] {
      Observability.flush()
      return Systems.shared.logs.entries.filter { $0.metadata["store"] == .string(name) }
    }
  }

  extension SpanAttributes {
    /// An attribute as text; nil if it is missing.
    func text(_ name: String) -> String? {
      switch get(name) {
      case .string(let text): text
      case .int64(let number): "\(number)"
      default: nil
      }
    }
  }
#endif
