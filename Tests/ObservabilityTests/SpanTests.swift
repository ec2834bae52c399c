// SPDX-License-Identifier: Apache-2.0

#if Observability
  import InMemoryTracing
  import Strata
  import Testing
  import Tracing

  @Suite struct `The spans of a store` {
    private let store: ObservedStore

    init() throws { store = try ObservedStore(vaultModel()) }

    @Test func `name the operation and its target, without values`() throws {
      let context = store.newContext()
      context.town("A")
      try context.save()
      _ = try context.fetch(Town.where { $0.name == "A" })
      _ = try context.count(Street.all)
      let spans = store.spans
      #expect(spans.map(\.operationName) == ["save \(store.name)", "fetch Town", "count Street"])
      #expect(spans.allSatisfy { $0.attributes.text("db.system.name") == "strata" })
      #expect(spans.allSatisfy { $0.kind == .internal && $0.status == nil })
      #expect(spans.map { $0.attributes.text("db.operation.name") } == ["save", "fetch", "count"])
      #expect(spans.map { $0.attributes.text("db.collection.name") } == [nil, "Town", "Street"])
      #expect(spans.map { $0.attributes.text("db.response.returned_rows") } == [nil, "1", "0"])
      #expect(spans[0].attributes.text("strata.save.destination") == "store")
      #expect(spans[0].attributes.count == 4 && spans[1].attributes.count == 5)
    }

    @Test func `are parts of the program's span, and of the save that they happen in`() throws {
      let context = store.newContext()
      context.town("counting")
      let outer = try withSpan("request") { span in
        try context.save()
        return span.context
      }
      let spans = store.spans
      let save = try #require(spans.first { $0.operationName.hasPrefix("save") })
      let fetch = try #require(spans.first { $0.operationName == "count Street" })
      #expect(save.parentSpanID == outer.inMemorySpanContext?.spanID)
      #expect(fetch.parentSpanID == save.spanID)
      #expect(Set([save.traceID, fetch.traceID]) == [outer.inMemorySpanContext?.traceID])
    }

    @Test func `are one for each level of a save to the store, in the task's span`() async throws {
      let worker = store.container.newBackgroundContext()
      try await worker.perform { _ = $0.town("A") }
      let outer = try await withSpan("request") { span in
        try await worker.save(to: .store)
        return span.context.inMemorySpanContext?.spanID
      }
      // The worker's save ends after that of the root, which has the commit.
      let spans = store.spans
      #expect(
        spans.map { $0.attributes.text("strata.save.destination") } == ["store", "parent"])
      #expect(spans.allSatisfy { $0.parentSpanID == outer })
    }

    @Test func `record errors, by their type and in words`() throws {
      let (first, second) = (store.newContext(), store.newContext())
      let town = first.town("A")
      try first.save()
      try second.existingObject(Town.self, with: town.objectID).population = 1
      try second.save()
      town.population = 2
      var text = ""
      do { try first.save() } catch { text = "\(error)" }
      let span = try #require(store.spans.last)
      #expect(span.status?.code == .error)
      #expect(span.attributes.text("error.type") == "StoreError")
      #expect(span.errors.map { "\($0.error)" } == [text])
    }

    @Test func `end once, also if a save fails before it begins to write`() throws {
      let context = store.newContext()
      let vault = Vault(context: context)
      vault.fill(code: "1")
      vault.text = String(repeating: "x", count: 50)
      for _ in 0..<2 {
        #expect { try context.save() } throws: {
          if case ContextError.validationFailed = $0 { true } else { false }
        }
      }
      vault.text = "short"
      try context.save()
      #expect(store.spans.map { $0.status?.code } == [.error, .error, nil])
      let open = Systems.shared.tracer.activeSpans
      #expect(open.allSatisfy { $0.attributes.text("db.namespace") != store.name })
    }
  }
#endif
