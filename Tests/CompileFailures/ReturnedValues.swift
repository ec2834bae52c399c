// SPDX-License-Identifier: Apache-2.0
//
// This compiles: values, IDs and objects that are not managed leave their queue.

import Strata

@Entity final class Town: ManagedObject { var name: String }

struct Summary: Sendable { var name: String }

/// Not `Sendable`; the queue keeps nothing of it.
final class Report { var names: [String] = [] }

func returns(_ queue: ContextQueue) async throws -> (String, [ObjectID], Summary, Report, Int) {
  let name = try await queue.perform { Town(context: $0).name }
  let ids = try await queue.perform { try $0.fetchIDs(Town.all.sorted(by: \.name)) }
  let summary = try queue.performAndWait { Summary(name: Town(context: $0).name) }
  let report = try await queue.perform { context in
    let report = Report()
    report.names = try context.fetch(Town.where { $0.name > "L" }).map(\.name)
    return report
  }
  let count = try queue.performAndWait { try $0.count(Town.all) }
  report.names.append(summary.name)
  return (name, ids, summary, report, count)
}

func sends(_ id: ObjectID, _ queue: ContextQueue) {
  Task { try await queue.perform { try $0.existingObject(Town.self, with: id).name } }
}

func asks(_ queue: ContextQueue, for town: Town) async throws -> Int {
  let request = Town.where { $0.name == town.name }
  return try await queue.perform { try $0.count(request) }
}

func returnsRows(_ queue: ContextQueue) async throws -> [(String, ObjectID)] {
  try await queue.perform { try $0.fetch(Town.all.select { ($0.name, $0.objectID) }) }
}
