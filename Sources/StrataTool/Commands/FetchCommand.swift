// SPDX-License-Identifier: Apache-2.0

#if Tool
  import ArgumentParser
  import Strata

  /// `strata fetch`. Rows are written while they are read, from one state of the store.
  struct FetchCommand: ParsableCommand {
    enum Format: String, CaseIterable, ExpressibleByArgument { case table, json, csv }

    static let configuration = CommandConfiguration(
      commandName: "fetch", abstract: "Prints objects of an entity.",
      discussion: """
        A column is a property, a property of a related object, or a calculated value: \
        country.name, cities.@count. Without --columns there is one for the object's ID, and one \
        for each attribute and to-one relationship that is not external or transient.

        JSON has one object on each line. CSV is as RFC 4180 describes it; data is in base 64, \
        dates are in ISO 8601. On a terminal, control characters in values are escaped. A \
        spreadsheet takes cells that begin with = + - @ for formulas: see --escape-formulas.
        """)

    @OptionGroup var store: StoreArgument
    @OptionGroup var request: RequestOptions

    @Option(help: ArgumentHelp("The columns to print.", valueName: "property,…"))
    var columns: String?

    @Option(help: "The form of the output: table, json or csv.")
    var format: Format?

    @Flag(help: "Print JSON: the same as --format json.")
    var json = false

    @Flag(
      help: ArgumentHelp(
        "Begin each cell of CSV that a spreadsheet would take for a formula with an apostrophe.",
        discussion: "Use it for values of strangers that go to a spreadsheet."))
    var escapeFormulas = false

    func validate() throws {
      if escapeFormulas, format != .csv {
        throw ValidationError("--escape-formulas is for --format csv.")
      }
      if json, let format, format != .json {
        throw ValidationError("--json and --format \(format.rawValue) exclude each other.")
      }
    }

    func run() throws {
      let coordinator = try store.open()
      let request = try request.request(in: coordinator.model)
      let entity = try coordinator.model.requireEntity(self.request.entity)
      let columns = try columns.map(Self.columns) ?? Self.allColumns(of: entity)
      let context = ManagedObjectContext(parent: coordinator)
      var printer = RowPrinter(
        columns, as: json ? .json : format ?? .table, escapesFormulas: escapeFormulas, of: entity)
      try context.forEachRow(request.select(columns.map(\.fetched))) { row in
        try printer.print(row)
      }
      try printer.finish()
    }

    /// The columns of a list that a user has typed.
    private static func columns(_ list: String) throws -> [RowPrinter.Column] {
      let names = list.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      if names.contains("") { throw ToolError.usage("--columns has an empty name.") }
      return try names.map { try RowPrinter.Column(typed: $0) }
    }

    private static func allColumns(of entity: EntityDescription) -> [RowPrinter.Column] {
      [.id]
        + entity.properties.filter { property in
          switch property {
          case .attribute(let attribute): !attribute.isExternal && !attribute.isTransient
          case .relationship(let relationship): !relationship.isToMany
          }
        }.map { RowPrinter.Column(property: $0.name) }
    }
  }
#endif
