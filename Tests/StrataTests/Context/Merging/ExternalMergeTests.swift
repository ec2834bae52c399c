// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

@Suite struct `Setting an external attribute in a context that merges automatically` {
  /// Reading the attribute takes a view and merges another context's save, which encodes the edits
  /// so far.
  @Test(arguments: [scan(2), nil])
  func `keeps a value that is set while a merge is made for it`(_ set: Data?) throws {
    let directory = try TemporaryDirectory()
    let container = try republic(in: directory)
    let context = undoableContext(container)
    context.automaticallyMergesChangesFromParent = true
    let painting = context.turn { [context] in context.painting("a", scan: scan(1)) }
    try context.save()
    context.processPendingChanges()
    painting.title = "b"
    try ContextQueue(parent: container.coordinator).performAndWait { context in
      _ = context.painting("another")
      try context.save()
    }
    painting.scan = set
    #expect(painting.scan == set)
    #expect(painting.title == "b")
    try context.save()
    let id = painting.objectID
    #expect(try ContextQueue(parent: container.coordinator).scan(of: id) == set)
  }
}
