// SPDX-License-Identifier: Apache-2.0

import StrataTestSupport
import Testing

#if Observability
  import InMemoryLogging
  import InMemoryTracing
  import Logging
  import Metrics
  import MetricsTestKit
  import Strata
  import StrataObservability
  import Tracing
#endif

/// The code of the guide Observability, part by part.
@Suite struct `The guide to observability` {
  #if Observability
    @Test func `has code that runs`() async throws {
      // Systems are set up once for a process.
      await #expect(processExitsWith: .success) {
        let (logs, metrics, tracer) = (InMemoryLogHandler(), TestMetrics(), InMemoryTracer())
        let folder = try TemporaryDirectory()
        let (url, model) = (folder.file("cities.strata"), try vaultModel())
        // begin starting
        LoggingSystem.bootstrap { _ in logs }
        MetricsSystem.bootstrap(metrics)
        InstrumentationSystem.bootstrap(tracer)
        Observability.start()

        let container = try PersistentContainer(at: url, model: model)
        // end
        // begin settings
        var settings = Observability.Settings(logger: Logger(label: "database"))
        settings.slowFetchThreshold = .milliseconds(20)
        Observability.start(settings)
        // end
        // begin nesting
        try await withSpan("import") { _ in
          try await container.root.perform { context in
            Town(context: context).name = "Lavāsān"
            try context.save()  // the span "save cities" is a part of the span "import"
          }
        }
        // end
        // begin flushing
        Observability.flush()
        // end
        #expect(metrics.counterTotal(label: "strata.saves") == 1)
        #expect(tracer.finishedSpans.map(\.operationName) == ["save cities", "import"])
      }
    }
  #endif
}
