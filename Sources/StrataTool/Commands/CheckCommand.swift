// SPDX-License-Identifier: Apache-2.0

#if Tool
  import ArgumentParser
  import Strata
  import StrataStore

  /// `strata check`.
  struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check", abstract: "Checks all of a store: records, indexes, links, history.",
      discussion: """
        It reads one state of the store and changes nothing; other programs may save. Each damage \
        is a line. A note is a link that leads nowhere, which the delete rule noAction leaves \
        behind. The pages of the file, LMDB's list of free pages among them, are
        checked if no other process has it open.

        The exit code is 1 if there is damage, and 0 if there are only notes.
        """)

    @OptionGroup var store: StoreArgument
    @OptionGroup var report: ReportOptions

    func run() throws {
      try store.requireFile()
      let findings = try ReaderProcess.run { try check() }
      if findings > 0 { throw ExitCode(ToolExit.findings.rawValue) }
    }

    /// - Returns: the number of damages.
    private func check() throws -> Int {
      let progress = ProgressLine("checking")
      let log = FindingLog(isJSON: report.json, progress: progress)
      if let flaw = try StoreFiles.flaw(ofFileAt: store.path) { log.note("file", "\(flaw)") }
      let coordinator = try store.open()
      var check = StoreCheck(
        try coordinator.snapshot(), progress: { progress.show($0, of: nil) },
        report: { log.note($0) })
      let counts = check.run()
      let transactionCount = checkHistory(of: coordinator, log)
      progress.end()
      var fields = FieldList()
      fields.add("objects", counts.objects)
      fields.add("external values", counts.externalValues)
      fields.add("index entries", counts.indexEntries)
      fields.add("links", counts.links)
      fields.add("transactions", transactionCount)
      fields.add("damages", log.damageCount)
      fields.add("notes", log.noteCount)
      try log.finish(fields)
      return log.damageCount
    }

    /// - Returns: the number of transactions of the history.
    private func checkHistory(
      of coordinator: PersistentStoreCoordinator, _ log: FindingLog
    ) -> Int {
      var count = 0
      do {
        guard try coordinator.historyStatus() != nil else { return 0 }
        try coordinator.forEachHistoryTransaction(of: HistoryRequest()) { transaction in
          for _ in transaction.changes {}
          count += 1
        }
      } catch StoreError.historyTooOld {
        // A writer has deleted transactions in between.
      } catch {
        log.note("history", "\(error)")
      }
      return count
    }
  }
#endif
