// SPDX-License-Identifier: Apache-2.0

#if Observability
  public import Logging
  import StrataStore

  /// Metrics, traces and logs of stores, for the systems of swift-metrics,
  /// swift-distributed-tracing and swift-log that the program has set up.
  ///
  /// ```swift
  /// LoggingSystem.bootstrap(…)
  /// MetricsSystem.bootstrap(…)
  /// InstrumentationSystem.bootstrap(…)
  /// Observability.start()  // before the first store is opened
  /// ```
  ///
  /// Nothing that a program stores is in any of it: there are counts, times, names of the model,
  /// names of stores, and texts of Strata's errors, which have no values of objects. Of an error of
  /// another type there is the name of its type. The guide Observability lists the metrics and the
  /// attributes of spans.
  ///
  /// ## Isolation
  /// Handlers of metrics and logs are called one after the other on a queue of their own, soon
  /// after the events. A tracer is called on the thread that saves or fetches, before and after. No
  /// lock of Strata is held at either time, so a handler or a tracer may itself use any store.
  public enum Observability {
    /// The logger, and the time from which a fetch counts as slow.
    public struct Settings: Sendable {
      /// Gets the messages of `StrataLog`, with their metadata, and slow fetches.
      public var logger: Logger

      /// A fetch that takes this long is counted as slow, and its plan is logged with the level
      /// notice. Nil for no such messages. The time of `forEachRow` includes the program's own work
      /// on the rows.
      public var slowFetchThreshold: Duration? = .milliseconds(100)

      /// The default settings.
      ///
      /// - Parameter logger: by default a logger with the label `strata`, of the logging system
      ///   that is set up now.
      public init(logger: Logger = Logger(label: "strata")) { self.logger = logger }
    }

    /// Has all stores observed that are opened from now on, and logs the messages of Strata with
    /// the logger instead of `StrataLog.handler`.
    ///
    /// A later call has an effect on stores that are opened after it, and on messages.
    public static func start(_ settings: Settings = Settings()) {
      StrataLog.handler = LogLines(logger: settings.logger).write
      Instruments.install { storeName in
        StoreInstrument(storeName, slowFetchThreshold: settings.slowFetchThreshold)
      }
    }

    /// Ends `start`: stores that are opened from now on are not observed. Messages go to the
    /// standard error stream. Stores that are open stay observed.
    public static func stop() {
      Instruments.install(nil)
      StrataLog.handler = StrataLog.standardError
    }

    /// Waits until metrics and logs have all that has happened so far: before the program exits, or
    /// looks at them in a test. In a handler it returns at once. As for `StrataLog.flush()`, not
    /// within a block of a context that a handler uses.
    public static func flush() { StrataLog.flush() }
  }
#endif
