// SPDX-License-Identifier: Apache-2.0

#if Tool
  import ArgumentParser
  import Foundation
  import Strata

  /// `strata prune`.
  struct PruneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "prune", abstract: "Deletes the oldest transactions of a store's history.",
      discussion: """
        Consumers of the history that have not reached the deleted transactions have to read all \
        objects again. The file does not shrink: later saves use the space.
        """)

    @OptionGroup var store: StoreArgument

    @Option(help: "Delete the transactions up to this number, and the one of this number.")
    var through: UInt64?

    @Option(
      help: ArgumentHelp(
        "Delete the transactions before this date: 2026-05-31 or 2026-05-31T12:00:00Z.",
        valueName: "date"))
    var before: String?

    @Flag(help: "Delete all transactions.")
    var all = false

    @OptionGroup var report: ReportOptions

    func validate() throws {
      let count = (through == nil ? 0 : 1) + (before == nil ? 0 : 1) + (all ? 1 : 0)
      guard count == 1 else {
        throw ValidationError("Say what to delete: --through, --before or --all.")
      }
      if let before, Self.date(before) == nil {
        throw ValidationError("--before is not a date in ISO 8601.")
      }
    }

    func run() async throws {
      let coordinator = try store.open(isReadOnly: false)
      guard let status = try coordinator.historyStatus() else { throw StoreError.historyNotKept }
      let first = status.oldestToken.generation
      let last = try number(in: coordinator, status)
      if last > first {
        try await coordinator.deleteHistory(through: coordinator.store.historyToken(of: last))
      }
      var fields = FieldList()
      fields.add("path", store.store)
      fields.add("deleted transactions", Int(clamping: last - min(first, last)))
      try report.write(fields)
    }

    /// The number of the last transaction to delete.
    private func number(
      in coordinator: PersistentStoreCoordinator, _ status: HistoryStatus
    ) throws -> UInt64 {
      let newest = status.newestToken.generation
      if all { return newest }
      if let through {
        guard through <= newest else {
          throw ToolError.usage("The last transaction has the number \(newest).")
        }
        return through
      }
      var number = status.oldestToken.generation
      guard let date = before.flatMap(Self.date) else { return number }
      // The order of transactions does not depend on their dates: the first later one ends it.
      struct Later: Error {}
      do {
        try coordinator.forEachHistoryTransaction(of: HistoryRequest()) { transaction in
          if transaction.date >= date { throw Later() }
          number = transaction.token.generation
        }
      } catch is Later {}
      return number
    }

    private static func date(_ text: String) -> Date? {
      (try? Date.ISO8601FormatStyle().parse(text))
        ?? (try? Date.ISO8601FormatStyle().year().month().day().parse(text))
    }
  }
#endif
