// SPDX-License-Identifier: Apache-2.0

#if Tool
  import ArgumentParser
  import Foundation
  import Strata

  /// The store of a command.
  struct StoreArgument: ParsableArguments {
    @Argument(help: "The file of the store.", completion: .file())
    var store: String

    var url: URL { URL(fileURLWithPath: store) }

    /// The absolute path.
    var path: String { url.path }

    /// Opens the store with the model inside.
    ///
    /// - Parameter isReadOnly: whether the file stays as it is.
    /// - Throws: `ToolError.fileMissing`; `StoreError`.
    func open(isReadOnly: Bool = true) throws -> PersistentStoreCoordinator {
      try requireFile()
      // Another process may change the model between the two calls: then it is read again.
      var attempts = 3
      while true {
        do {
          return try PersistentStoreCoordinator(
            at: url, model: ManagedObjectModel(ofStoreAt: url), isReadOnly: isReadOnly)
        } catch StoreError.migrationRequired where attempts > 1 {
          attempts -= 1
        }
      }
    }

    func requireFile() throws(ToolError) {
      var information = stat()
      if stat(store, &information) != 0, errno == ENOENT || errno == ENOTDIR {
        throw .fileMissing(path: store)
      }
    }
  }

  /// The form of a report.
  struct ReportOptions: ParsableArguments {
    @Flag(help: "Print JSON.")
    var json = false

    /// Writes a report.
    func write(_ fields: FieldList) throws {
      var output = StandardOutput()
      if json { try output.writeLine(fields.json) } else { try fields.write(to: &output) }
      try output.flush()
    }
  }

  extension ManagedObjectModel {
    /// The entity of a name that a user has typed.
    ///
    /// - Throws: `ToolError.unknownEntity`.
    func requireEntity(_ name: String) throws(ToolError) -> EntityDescription {
      guard let entity = entity(named: name) else {
        throw .unknownEntity(name: name, known: entities.map(\.name).sorted())
      }
      return entity
    }
  }
#endif
