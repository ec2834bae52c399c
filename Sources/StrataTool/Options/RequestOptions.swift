// SPDX-License-Identifier: Apache-2.0

#if Tool
  import ArgumentParser
  import Strata

  /// The objects of a command, as a fetch request.
  struct RequestOptions: ParsableArguments {
    @Argument(help: "The name of the entity.")
    var entity: String

    @Option(
      name: .customLong("where"), parsing: .unconditional,
      help: "A condition in the grammar of NSPredicate: population > 1000000 AND name LIKE 'S*'.")
    var condition: String?

    @Option(
      parsing: .unconditionalSingleValue,
      help: ArgumentHelp(
        "Properties to sort by, the most significant first; “-population” for the greatest first.",
        valueName: "property,…"))
    var sort: [String] = []

    @Option(help: "Print at most this number of objects.")
    var limit: Int?

    @Option(help: "Skip this number of objects at the beginning.")
    var offset: Int?

    @Flag(help: "Leave the objects of subentities out.")
    var excludeSubentities = false

    func validate() throws {
      if let limit, limit < 0 { throw ValidationError("--limit is 0 or more.") }
      if let offset, offset < 0 { throw ValidationError("--offset is 0 or more.") }
    }

    /// - Throws: `ToolError.unknownEntity`; `PredicateFormatError`.
    func request(in model: ManagedObjectModel) throws -> FetchRequest<ManagedObject> {
      _ = try model.requireEntity(entity)
      var request = FetchRequest<ManagedObject>(
        entityName: entity, try condition.map { try FetchPredicate(format: $0) })
      for key in sort.flatMap({ $0.split(separator: ",") }) {
        let isReversed = key.hasPrefix("-")
        request = request.sorted(
          by: String(isReversed ? key.dropFirst() : key), order: isReversed ? .reverse : .forward)
      }
      request.limit = limit
      request.offset = offset ?? 0
      request.includesSubentities = !excludeSubentities
      return request
    }
  }
#endif
