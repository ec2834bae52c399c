// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import Testing

@Suite struct `A fetch may be told` {
  @Test func `to give faults, and still fires them one by one`() throws {
    let container = try ledger()
    try container.root.performAndWait { context in
      for index in 0..<3 { context.entry("e\(index)", index) }
      try context.save()
    }
    let worker = ContextQueue(parent: container.newBackgroundContext())
    try worker.performAndWait { context in
      var request = LedgerEntry.where { $0.amount > 0 }.sorted(by: \.amount)
      request.includesPropertyValues = false
      let faults = try context.fetch(request)
      #expect(faults.map(\.isFault) == [true, true])
      #expect(faults[1].label == "e2")
      #expect(faults.map(\.isFault) == [true, false])
      request.includesPropertyValues = true
      #expect(try context.fetch(request)[0] === faults[0])
      #expect(faults.map(\.isFault) == [false, false])
    }
  }

  @Test func `to refresh registered objects, unsaved changes kept`() throws {
    let container = try ledger()
    let worker = ManagedObjectContext(parent: ContextQueue(parent: container.root))
    let id = try container.root.performAndWait { context in
      let entry = context.entry("old", 1)
      try context.save()
      return entry.objectID
    }
    let entry = try worker.existingObject(LedgerEntry.self, with: id)
    entry.weight = 2
    worker.processPendingChanges()
    try container.root.performAndWait { context in
      let entry = try context.existingObject(LedgerEntry.self, with: id)
      entry.label = "new"
      entry.weight = 3
    }
    var request = LedgerEntry.all
    #expect(try worker.fetch(request) == [entry])
    #expect(entry.label == "old")
    request.shouldRefreshRefetchedObjects = true
    #expect(try worker.fetch(request) == [entry])
    #expect(entry.label == "new" && entry.weight == 2)
    request.includesPropertyValues = false
    worker.processPendingChanges()
    try container.root.performAndWait { context in
      try context.existingObject(LedgerEntry.self, with: id).label = "newer"
    }
    #expect(try worker.fetch(request) == [entry])
    #expect(entry.label == "newer" && entry.weight == 2)
  }

  @Test func `to leave out unsaved changes here, and returns objects as they are here`() throws {
    let container = try ledger()
    let ids = try container.root.performAndWait { context in
      let ids = (0..<3).map { (index: Int) in context.entry("e\(index)", index).objectID }
      try context.save()
      return ids
    }
    try container.newBackgroundContext().performAndWait { context in
      context.entry("here", 9)
      let entry = try context.existingObject(LedgerEntry.self, with: ids[0])
      entry.amount = 9
      context.delete(try context.existingObject(LedgerEntry.self, with: ids[1]))
      var request = LedgerEntry.where { $0.amount < 5 }.sorted(by: \.label)
      #expect(try context.fetchIDs(request) == [ids[2]])
      request.includesPendingChanges = false
      #expect(try context.fetchIDs(request) == ids)
      let found = try context.fetch(request)
      #expect(found[0] === entry && found[0].amount == 9 && found[1].isDeleted)
      #expect(try context.fetch(request.select(\.amount)) == [0, 1, 2])
      let entries = try context.fetch(request, inBatchesOf: 2)
      #expect(entries.objectIDs == ids)
    }
  }
}
