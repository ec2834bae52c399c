// SPDX-License-Identifier: Apache-2.0

#if Tool
  import ArgumentParser
  import Foundation
  import Strata
  import StrataDump

  /// `strata history`.
  struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "history", abstract: "Prints the transactions that a store keeps, oldest first.",
      discussion: """
        A transaction is a save or a batch. JSON has one transaction on each line. The exit code \
        is 64 if the store keeps no history.
        """)

    @OptionGroup var store: StoreArgument

    @Option(help: "Print the transactions after the one of this number.")
    var after: UInt64?

    @Option(help: "Print at most this number of transactions.")
    var limit: Int?

    @Option(help: "Print transactions with this author.")
    var author: String?

    @Flag(help: "Print each changed object.")
    var changes = false

    @OptionGroup var report: ReportOptions

    func validate() throws {
      if let limit, limit < 0 { throw ValidationError("--limit is 0 or more.") }
    }

    func run() throws {
      let coordinator = try store.open()
      let request = HistoryRequest(
        after: after.map(coordinator.store.historyToken), authors: author.map { [$0] },
        limit: limit)
      var output = StandardOutput()
      try coordinator.forEachHistoryTransaction(of: request) { transaction in
        if report.json {
          try output.writeLine(json(transaction))
        } else {
          try write(transaction, to: &output)
        }
      }
      try output.flush()
    }

    private func write(
      _ transaction: HistoryTransaction, to output: inout StandardOutput
    ) throws {
      let counts = ChangeCounts(transaction)
      var line =
        "\(transaction.token.generation)  \(PropertyValue.date(transaction.date).shownText)"
      line += "  +\(counts.inserted) ~\(counts.updated) -\(counts.deleted)"
      if let author = transaction.author { line += "  by \(author)" }
      if let name = transaction.contextName { line += "  in \(name)" }
      try output.writeLine(line.safeInTerminal)
      guard changes else { return }
      for change in transaction.changes {
        let properties = change.updatedProperties.joined(separator: ", ")
        let line = "    \(change.kind.word) \(change.objectID.shownText)"
        try output.writeLine((line + (properties.isEmpty ? "" : ": \(properties)")).safeInTerminal)
      }
    }

    private func json(_ transaction: HistoryTransaction) -> JSONValue {
      let counts = ChangeCounts(transaction)
      let changes =
        changes
        ? JSONValue.array(
          transaction.changes.map { change in
            .object([
              "kind": .string(change.kind.word), "object": .string(change.objectID.shownText),
              "properties": change.updatedProperties.isEmpty
                ? nil : .strings(change.updatedProperties),
            ])
          }) : nil
      return .object([
        "number": .integer(transaction.token.generation),
        "date": PropertyValue.date(transaction.date).shownJSON,
        "author": transaction.author.map(JSONValue.string),
        "contextName": transaction.contextName.map(JSONValue.string),
        "inserted": .integer(counts.inserted), "updated": .integer(counts.updated),
        "deleted": .integer(counts.deleted), "changes": changes,
      ])
    }
  }
#endif
