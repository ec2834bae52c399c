// SPDX-License-Identifier: Apache-2.0

#if Tool
  import ArgumentParser
  import Strata

  /// `strata compact`.
  struct CompactCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "compact", abstract: "Gives the unused space of a store back to the system.",
      discussion: """
        No other program may have the store open: the exit code is 75 then, and the store is as it \
        was. It needs space for a second copy for as long as it takes.
        """)

    @OptionGroup var store: StoreArgument
    @OptionGroup var report: ReportOptions

    func run() async throws {
      let progress = ProgressLine("compacting")
      let result = try await store.open(isReadOnly: false).compact {
        progress.show($0.completedByteCount, of: $0.totalByteCount)
      }
      progress.end()
      var fields = FieldList()
      fields.add("path", store.store)
      fields.add("former size", bytes: result.formerByteCount)
      fields.add("size", bytes: result.byteCount)
      try report.write(fields)
    }
  }
#endif
