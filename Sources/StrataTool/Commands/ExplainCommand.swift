// SPDX-License-Identifier: Apache-2.0

#if Tool
  import ArgumentParser
  import Strata
  import StrataDump

  /// `strata explain`.
  struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "explain",
      abstract: "Executes a fetch and prints how: the indexes used, the entries and records read.")

    @OptionGroup var store: StoreArgument
    @OptionGroup var request: RequestOptions
    @OptionGroup var report: ReportOptions

    @Flag(help: "Explain the counting of the objects instead.")
    var count = false

    func run() throws {
      let coordinator = try store.open()
      let request = try request.request(in: coordinator.model)
      let context = ManagedObjectContext(parent: coordinator)
      let explanation = try context.explain(request, for: count ? .count : .objects)
      var output = StandardOutput()
      try output.writeLine(
        report.json
          ? try JSONParser.value(of: [UInt8](explanation.json.utf8)[...]).text
          : explanation.description.split(separator: "\n").map { String($0).safeInTerminal }
            .joined(separator: "\n"))
      try output.flush()
    }
  }
#endif
