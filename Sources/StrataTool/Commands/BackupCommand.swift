// SPDX-License-Identifier: Apache-2.0

#if Tool
  import ArgumentParser
  import Foundation
  import Strata

  /// `strata backup`.
  struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "backup", abstract: "Copies a store, while other programs save to it.",
      discussion: """
        The copy has one state of the store, with its history and its identity, and is on the disk \
        when the command ends. Copying the file of an open store by other means gives a damaged \
        file.
        """)

    @OptionGroup var store: StoreArgument

    @Argument(help: "The file of the copy, which must not exist.", completion: .file())
    var copy: String

    @Flag(help: "Leave unused space out, which takes more time.")
    var compacting = false

    @OptionGroup var report: ReportOptions

    func run() async throws {
      let progress = ProgressLine("backing up")
      let target = URL(fileURLWithPath: copy)
      try await store.open().backUp(to: target, compacting: compacting) {
        progress.show($0.completedByteCount, of: $0.totalByteCount)
      }
      progress.end()
      var fields = FieldList()
      fields.add("path", copy)
      fields.add(
        "size", bytes: try PersistentStoreCoordinator.metadata(ofStoreAt: target).byteCount)
      try report.write(fields)
    }
  }
#endif
