// SPDX-License-Identifier: Apache-2.0

#if Tool
  import ArgumentParser
  import Foundation
  import Strata
  import StrataDump

  /// `strata salvage`.
  struct SalvageCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "salvage", abstract: "Copies all that can be read of a damaged store.",
      discussion: """
        The new store has the identity and the object IDs of the old one, all objects whose \
        records can be read, and the links between them. Indexes are made again; the history is \
        not copied. The old file is not changed. Of two objects with one unique value, the second \
        loses the value, or is left out if the value may not be nil. What is lost is printed, a \
        line for each object, value or tree.

        If the description of the store itself cannot be read, nothing can be copied: the exit \
        code is 65. It is 1 if something is lost, and 0 if nothing is.
        """)

    @OptionGroup var store: StoreArgument

    @Argument(help: "The file of the new store, which must not exist.", completion: .file())
    var copy: String

    @OptionGroup var report: ReportOptions

    func run() throws {
      try store.requireFile()
      let lossCount = try ReaderProcess.run { try salvage() }
      if lossCount > 0 { throw ExitCode(ToolExit.findings.rawValue) }
    }

    /// - Returns: the number of losses.
    private func salvage() throws -> Int {
      let progress = ProgressLine("salvaging")
      let log = FindingLog(isJSON: report.json, progress: progress)
      // Each object is read twice, for its values and for its links.
      var known: Set<String> = []
      let note = { (place: String, error: any Error) in
        if known.insert(place).inserted { log.note(place, "\(error)") }
      }
      let maker = try StoreMaker(at: URL(fileURLWithPath: copy), onLoss: note)
      let reader = try StoreReader(store.open(), onProgress: progress.show, onDamage: note)
      try reader.visit { try maker.add($0) }
      try maker.finish()
      progress.end()
      var fields = FieldList()
      fields.add("path", copy)
      fields.add("objects", maker.objectCount)
      fields.add("losses", log.damageCount)
      try log.finish(fields)
      return log.damageCount
    }
  }
#endif
