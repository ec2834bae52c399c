// SPDX-License-Identifier: Apache-2.0

#if Tool
  import ArgumentParser
  import Foundation
  import Strata
  import StrataDump
  import StrataModel
  import StrataStore

  /// `strata migrate --dry-run`.
  struct MigrateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "migrate",
      abstract: "Says whether a store can be migrated to a model by inference, and how.",
      discussion: """
        The model is JSON as “strata model --json” prints it. A renamed entity or property has its \
        former name as "originalName"; an attribute may have a "default". The store is not \
        changed: the program with the new model migrates it when it opens it.

        The exit code is 1 if a difference cannot be inferred.
        """)

    @OptionGroup var store: StoreArgument

    @Argument(help: "The file of the new model.", completion: .file(extensions: ["json"]))
    var model: String

    @Flag(help: "Required: the tool migrates no store.")
    var dryRun = false

    @Option(
      help: ArgumentHelp(
        "An entity, or a property as Entity.property, whose data may be deleted. Repeatable.",
        valueName: "name"))
    var removing: [String] = []

    @Flag(
      help: """
        Also migrate a temporary copy, which finds values that a new constraint refuses, and takes \
        the time and the space of the migration.
        """)
    var onCopy = false

    @OptionGroup var report: ReportOptions

    func validate() throws {
      guard dryRun else {
        throw ValidationError(
          "Add --dry-run. A store is migrated by the program that has the new model.")
      }
    }

    func run() throws {
      try store.requireFile()
      let metadata = try StoredMetadata(ofStoreAt: store.path)
      let model = try Self.model(at: self.model)
      let evolution = ModelEvolution(
        from: metadata.outline, metadata.formerNames, to: model,
        removing: try DataRemoval(parsing: Set(removing)))
      let steps = EvolutionSteps(evolution, from: metadata.outline, to: ModelOutline(model))
      if evolution.mismatches.isEmpty, onCopy {
        _ = try MigrationPlan().dryRun(onStoreAt: store.url, to: model, removing: Set(removing))
      }
      try write(steps, evolution.mismatches)
      if !evolution.mismatches.isEmpty { throw ExitCode(ToolExit.findings.rawValue) }
    }

    /// The maximum size of a model's file, 64 MiB: the largest model takes some megabytes.
    private static let modelByteCountMax = 64 << 20

    private static func model(at path: String) throws -> ManagedObjectModel {
      guard let file = FileHandle(forReadingAtPath: path),
        let data = try? file.read(upToCount: modelByteCountMax + 1) ?? Data()
      else { throw ToolError.fileMissing(path: path) }
      guard data.count <= modelByteCountMax else {
        throw ToolError.modelFile(
          path: path, reason: "it is larger than \(modelByteCountMax) bytes")
      }
      do {
        let json = try JSONParser.value(
          of: [UInt8](data)[...], valueCountMax: DumpItem.valueCountMax)
        return try ModelDocument(json).model(checksNames: true)
      } catch let failure as JSONParser.Failure {
        throw ToolError.modelFile(
          path: path, reason: "at byte \(failure.offset), \(failure.expected) is missing")
      } catch let failure as ModelDocument.Failure {
        throw ToolError.modelFile(path: path, reason: failure.reason)
      } catch {
        throw ToolError.modelFile(path: path, reason: "\(error)")
      }
    }

    private func write(_ steps: EvolutionSteps, _ mismatches: [ModelMismatch]) throws {
      var output = StandardOutput()
      if report.json {
        try output.writeLine(
          .object([
            "canBeInferred": .bool(mismatches.isEmpty), "changes": .strings(steps.lines),
            "mismatches": .array(
              mismatches.map { mismatch in
                .object([
                  "entity": .string(mismatch.entity),
                  "property": mismatch.property.map(JSONValue.string),
                  "problem": .string(mismatch.description),
                ])
              }),
          ]))
      } else {
        for line in steps.lines { try output.writeLine("inferred: \(line)".safeInTerminal) }
        for mismatch in mismatches {
          try output.writeLine("not inferred: \(mismatch.description)".safeInTerminal)
        }
        if steps.lines.isEmpty, mismatches.isEmpty {
          try output.writeLine("The store has this model.")
        }
      }
      try output.flush()
    }
  }
#endif
