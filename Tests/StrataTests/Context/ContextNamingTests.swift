// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Foundation
import Strata
import StrataChanges
import StrataRecord
import StrataStore
import Synchronization
import Testing

@Suite struct `What a context carries for the program` {
  @Test func `name and author are in each message, and may change`() throws {
    let container = try geography()
    let log = MessageLog(container.root.layer)
    try container.root.performAndWait { context in
      #expect(context.name == nil && context.transactionAuthor == nil)
      (context.name, context.transactionAuthor) = ("root", "import")
      context.city("A")
      try context.save()
      context.transactionAuthor = "sync"
      context.city("B")
      try context.save()
    }
    #expect(log.messages.count == 6)
    #expect(log.messages.allSatisfy { $0.contextName == "root" })
    #expect(
      log.messages.map(\.transactionAuthor)
        == Array(repeating: "import", count: 3) + Array(repeating: "sync", count: 3))
  }

  @Test func `the author of the topmost context is saved to the store with the save`() async throws
  {
    let container = try geography()
    try await container.coordinator.keepHistory()
    try await container.root.perform { context in
      context.city("A")
      try context.save()
      context.transactionAuthor = "import"
      context.city("B")
      try context.save()
    }
    let history = try container.coordinator.fetchHistory(HistoryRequest())
    #expect(history.map(\.author) == [nil, "import"])
  }

  @Test func `userInfo holds the program's values`() throws {
    let container = try geography()
    try container.root.performAndWait { context in
      #expect(context.userInfo.isEmpty)
      context.userInfo["importer"] = NSMutableString(string: "x")
    }
    try container.root.performAndWait { context in
      context.reset()
      #expect((context.userInfo["importer"] as? NSMutableString) == "x")
    }
  }

  @Test func `retainsRegisteredObjects keeps every object, with its values`() throws {
    let container = try geography()
    try container.root.performAndWait { context in
      for index in 0..<2_000 { context.city("City \(index)") }
      try context.save()
      context.reset()
      context.cacheByteBudget = 10_000
      _ = try context.fetch(City.all)
      let count = context.registeredObjects.count
      #expect(count == 0)
      context.retainsRegisteredObjects = true
      let ids = try context.fetch(City.all).map(\.objectID)
      for _ in 0..<40 { context.processPendingChanges() }
      #expect(context.registeredObjects.count == 2_000)
      #expect(ids.allSatisfy { context.registeredObject(for: $0)?.isFault == false })
      context.reset()
      #expect(context.retainsRegisteredObjects)
      #expect(context.registeredObjects.isEmpty)
      context.retainsRegisteredObjects = false
      _ = try context.fetch(City.all)
      #expect(context.registeredObjects.isEmpty)
    }
  }
}
