// SPDX-License-Identifier: Apache-2.0

#if Tool
  import ArgumentParser
  import Foundation
  import Strata
  import StrataDump

  /// `strata load`.
  struct LoadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "load", abstract: "Makes a store from a dump on the standard input.",
      discussion: """
        The store appears when all lines are loaded; if a line is wrong or missing, no store is \
        made. While it works, a file with “.new-” in its name is beside the new store.
        """)

    @Argument(help: "The file of the new store, which must not exist.", completion: .file())
    var store: String

    @OptionGroup var report: ReportOptions

    func run() throws {
      let progress = ProgressLine("loading")
      defer { progress.end() }
      let maker = try StoreMaker(at: URL(fileURLWithPath: store))
      var reader = LineReader()
      while let line = try reader.next() {
        do {
          let json = try JSONParser.value(of: line, valueCountMax: DumpItem.valueCountMax)
          try maker.add(DumpItem(json, in: maker.model))
        } catch {
          throw Self.error(error, at: reader.lineNumber)
        }
        progress.show(reader.lineNumber, of: nil)
      }
      guard maker.isComplete else {
        throw ToolError.dumpLine(
          number: reader.lineNumber + 1, reason: "the dump ends before its last line")
      }
      do { try maker.finish() } catch { throw Self.error(error, at: reader.lineNumber) }
      var fields = FieldList()
      fields.add("path", store)
      fields.add("objects", maker.objectCount)
      try report.write(fields)
    }

    /// The error of a line. Errors of the system concern no line.
    private static func error(_ error: any Error, at line: Int) -> any Error {
      switch error {
      case let mistake as DumpMistake:
        ToolError.dumpLine(number: line, reason: mistake.description)
      case let failure as JSONParser.Failure:
        ToolError.dumpLine(
          number: line, reason: "at byte \(failure.offset), \(failure.expected) is missing")
      case is QueryError, is ContextError, is ModelError:
        ToolError.dumpLine(number: line, reason: "\(error)")
      case StoreError.danglingLinks, StoreError.uniquenessViolations, StoreError.conflicts:
        ToolError.dumpLine(number: line, reason: "here or up to 1,000 lines before: \(error)")
      default: error
      }
    }
  }
#endif
