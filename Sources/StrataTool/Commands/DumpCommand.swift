// SPDX-License-Identifier: Apache-2.0

#if Tool
  import ArgumentParser
  import Strata
  import StrataDump

  /// `strata dump`.
  struct DumpCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "dump", abstract: "Writes all of a store to the standard output, as JSON lines.",
      discussion: """
        “strata load” makes the same store again: the same identity, model, object IDs, values, \
        links and orders, and the values that programs keep in the metadata. The history is not \
        part of a dump. The dump shows one state of the store, while other programs may save.
        """)

    @OptionGroup var store: StoreArgument

    @Flag(help: "Accepted as everywhere: a dump is always JSON.")
    var json = false

    func run() throws {
      let progress = ProgressLine("dumping")
      defer { progress.end() }
      var output = StandardOutput()
      try StoreReader(store.open(), onProgress: progress.show).visit { item in
        try output.writeLine(item.json)
      }
      try output.flush()
    }
  }
#endif
