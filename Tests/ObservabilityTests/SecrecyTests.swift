// SPDX-License-Identifier: Apache-2.0

#if Observability
  import Foundation
  import InMemoryLogging
  import InMemoryTracing
  import Logging
  import MetricsTestKit
  import Strata
  import StrataObservability
  import Testing
  import Tracing

  /// All that the three systems have received in this process, as text.
  private func allOutput() -> String {
    Observability.flush()
    var output = ""
    func append(_ name: String, _ value: SpanAttribute) { output += "\(name) \(value)\n" }
    for entry in Systems.shared.logs.entries {
      dump(entry, to: &output)
      output += "\(entry.message) \(entry.metadata) \(entry.error.map { "\($0)" } ?? "")\n"
    }
    for span in Systems.shared.tracer.finishedSpans {
      output += span.operationName + " \(span.status?.message ?? "") \(span.events)\n"
      span.attributes.forEach(append)
      for recorded in span.errors {
        output += "\(recorded.error) \(String(reflecting: recorded.error))\n"
        dump(recorded.error, to: &output)
      }
    }
    let metrics = Systems.shared.metrics.recorded
    for counter in metrics.counters { output += "\(counter.label) \(counter.dimensions)\n" }
    for timer in metrics.timers { output += "\(timer.label) \(timer.dimensions)\n" }
    for meter in metrics.meters { output += "\(meter.label) \(meter.dimensions)\n" }
    return output
  }

  @Suite struct `No value of an object` {
    private let store: ObservedStore
    private let context: ManagedObjectContext
    private let vault: Vault

    init() throws {
      store = try ObservedStore(
        vaultModel(), slowFetchThreshold: .zero, autosave: .afterEachPush(coalescingFor: .zero))
      context = store.newContext()
      vault = Vault(context: context)
      vault.fill(code: "code-5ea1")
      try context.save()
    }

    /// Expects that something of this store was observed, and none of the planted values.
    private func expectSecrecy(sourceLocation: SourceLocation = #_sourceLocation) {
      let output = allOutput()
      #expect(output.contains(store.name), "it observes nothing", sourceLocation: sourceLocation)
      for text in Vault.texts {
        #expect(!output.contains(text), "\(text)", sourceLocation: sourceLocation)
      }
    }

    @Test func `is in the output of saves, batches and deletions`() async throws {
      vault.int32 += 1
      try context.save()
      _ = try await store.container.coordinator.execute(
        BatchUpdateRequest(Vault.all).setting(\.optionalText, to: "optional-4c0ffee8"))
      context.delete(vault)
      context.mergePolicy = .overwrite
      try context.save()
      expectSecrecy()
    }

    @Test func `is in the output of fetches, which log their plans`() throws {
      let (uuid, date) = (Vault.uuid, Date(timeIntervalSinceReferenceDate: 4_188_888_888.5))
      _ = try context.fetch(Vault.where { $0.code == "code-5ea1" })
      _ = try context.fetch(Vault.where { $0.text == "text-4c0ffee1" && $0.int32 > 1_315_926_045 })
      _ = try context.fetch(Vault.where { $0.int64 == 7_315_926_048_113 || $0.uuid == uuid })
      _ = try context.fetch(Vault.where { $0.double > 271_828.182_845 && $0.date >= date })
      _ = try context.fetchIDs(Vault.where { $0.text.contains("4c0ffee1") })
      _ = try context.count(Vault.where { $0.decimal == 161_803.398_87 })
      _ = try context.fetch(Vault.where { $0.text.hasPrefix("text-4c0ffee") }.select(\.int64))
      let format = try FetchPredicate(format: "optionalText == %@", "optional-4c0ffee2")
      _ = try context.fetch(FetchRequest<Vault>(format))
      #expect(store.total("strata.fetches.slow") == 8)
      expectSecrecy()
    }

    @Test func `is in the output of failed saves and fetches`() async throws {
      let other = store.newContext()
      let theirs = try other.existingObject(Vault.self, with: vault.objectID)
      (theirs.text, theirs.int64) = ("theirs-4c0ffee", 1)
      try other.save()
      vault.text = "ours-4c0ffee"
      #expect { try context.save() } throws: {
        if case StoreError.conflicts = $0 { true } else { false }
      }
      context.rollback()

      let double = Vault(context: context)
      double.fill(code: "code-5ea1")
      #expect { try context.save() } throws: {
        if case StoreError.uniquenessViolations = $0 { true } else { false }
      }
      double.text = String(repeating: "4c0ffee", count: 10)
      #expect { try context.save() } throws: {
        if case ContextError.validationFailed = $0 { true } else { false }
      }
      context.rollback()

      context.refreshAllObjects()
      (vault.note, vault.int32) = ("leak", 1_315_926_045)
      #expect(throws: (any Error).self) { try context.save() }
      context.rollback()

      #expect {
        try context.fetch(Vault.where { $0.text.matches("(text-4c0ffee1") })
      } throws: { if case QueryError.invalidPattern = $0 { true } else { false } }
      #expect(throws: Leak.self) {
        try context.forEachRow(Vault.all.select(\.text)) { throw Leak(description: $0) }
      }
      #expect(store.total("strata.saves", ["outcome": "error"]) == 4)
      #expect(store.total("strata.fetches", ["outcome": "error"]) == 2)
      expectSecrecy()
    }

    @Test func `is in the log line of an autosave that fails`() async throws {
      var failures = store.container.autosaveFailures.makeAsyncIterator()
      let worker = store.container.newBackgroundContext()
      // The second failure comes after the line about the first.
      for _ in 0..<2 {
        try await worker.perform { context in
          let double = Vault(context: context)
          double.fill(code: "code-5ea1")
          try context.save()
        }
        _ = await failures.next()
      }
      Observability.flush()
      #expect(Systems.shared.logs.entries.contains { $0.metadata["error"] != nil })
      expectSecrecy()
    }
  }
#endif
