// SPDX-License-Identifier: Apache-2.0

#if Tool
  import Strata
  import StrataDump

  /// Prints the rows of a fetch in one of the forms.
  struct RowPrinter {
    /// A column of the output.
    struct Column {
      let name: String
      /// The property or the calculation, as a fetch takes it.
      let fetched: FetchColumn

      /// The object's own ID.
      static let id = Column(name: "id", fetched: FetchColumn("SELF").named("id"))

      /// The column of a property.
      init(property name: String) { self.init(name: name, fetched: FetchColumn(name)) }

      /// The column that a user has typed: `id`, a property, or a value in the grammar of
      /// predicates.
      ///
      /// - Throws: `PredicateFormatError`.
      init(typed text: String) throws {
        let isPath = text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
        switch text {
        case Self.id.name: self = .id
        case _ where isPath: self.init(property: text)
        default: self.init(name: text, fetched: try FetchColumn(text, format: text))
        }
      }

      private init(name: String, fetched: FetchColumn) {
        (self.name, self.fetched) = (name, fetched)
      }
    }

    private let columns: [Column]
    private let format: FetchCommand.Format
    /// Whether cells of CSV that a spreadsheet would take for formulas begin with an apostrophe.
    private let escapesFormulas: Bool
    private var output = StandardOutput()
    private var table: TextTable
    private var hasHeader = false

    init(
      _ columns: [Column], as format: FetchCommand.Format, escapesFormulas: Bool,
      of entity: EntityDescription
    ) {
      self.columns = columns
      self.format = format
      self.escapesFormulas = escapesFormulas
      table = TextTable(
        columns.map { column in
          let attribute = entity.slot(named: column.name).flatMap {
            entity.properties[$0].attribute
          }
          return TextTable.Column(column.name, isNumeric: attribute?.type.isNumeric ?? false)
        })
    }

    mutating func print(_ row: [String: PropertyValue]) throws {
      let values = columns.map { row[$0.name] ?? .null }
      switch format {
      case .json:
        try output.writeLine(
          .object(
            zip(columns, values).map { JSONValue.Member(name: $0.name, value: $1.shownJSON) }))
      case .csv:
        try printHeader()
        try printLine(values.map(\.shownText))
      case .table: try table.append(values.map(\.shownText), to: &output)
      }
    }

    mutating func finish() throws {
      switch format {
      case .json: break
      case .csv: try printHeader()
      case .table: try table.finish(&output)
      }
      try output.flush()
    }

    private mutating func printHeader() throws {
      if hasHeader { return }
      hasHeader = true
      try printLine(columns.map(\.name))
    }

    private mutating func printLine(_ cells: [String]) throws {
      try output.writeLine(CommaSeparated.line(cells, escapesFormulas: escapesFormulas))
    }
  }
#endif
