// SPDX-License-Identifier: Apache-2.0

#if Tool
  import ArgumentParser
  import StrataDump
  import StrataStore

  /// `strata stat`.
  struct StatCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "stat", abstract: "Prints how the file's space is used, tree by tree.",
      discussion: """
        Each entity has a tree of records (r), one of index entries and links (i) if it has any, \
        and one of external values (x) if it has any. Free pages are used by later saves; \
        “strata compact” gives them back to the file system.
        """)

    @OptionGroup var store: StoreArgument
    @OptionGroup var report: ReportOptions

    func run() throws {
      try store.requireFile()
      let statistics = try StoredStatistics(ofStoreAt: store.path)
      if report.json { return try report.write(fields(of: statistics)) }
      try report.write(fields(of: statistics))
      var output = StandardOutput()
      var table = TextTable([
        TextTable.Column("tree"), TextTable.Column("entity"),
        TextTable.Column("entries", isNumeric: true), TextTable.Column("depth", isNumeric: true),
        TextTable.Column("pages", isNumeric: true),
      ])
      try output.writeLine("")
      for tree in statistics.trees {
        try table.append(
          [
            tree.name, tree.entity ?? "", tree.entryCount.grouped, "\(tree.depth)",
            tree.pageCount.grouped,
          ], to: &output)
      }
      try table.finish(&output)
      try output.flush()
    }

    private func fields(of statistics: StoredStatistics) -> FieldList {
      var fields = FieldList()
      fields.add("path", store.store)
      fields.add("size", bytes: statistics.pageCount * statistics.pageByteCount)
      fields.add("page size", bytes: statistics.pageByteCount)
      fields.add("pages", statistics.pageCount)
      fields.add("free pages", statistics.freePageCount)
      if report.json {
        fields.add(
          "trees", "",
          .array(
            statistics.trees.map { tree in
              .object([
                "name": .string(tree.name), "entity": tree.entity.map(JSONValue.string),
                "entryCount": .integer(tree.entryCount), "depth": .integer(tree.depth),
                "pageCount": .integer(tree.pageCount),
              ])
            }))
      }
      return fields
    }
  }
#endif
