// SPDX-License-Identifier: Apache-2.0

#if Tool
  import ArgumentParser
  import Foundation
  import Strata
  import StrataDump

  /// `strata info`.
  struct InfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "info", abstract: "Prints the identity, the size and the entities of a store.")

    @OptionGroup var store: StoreArgument
    @OptionGroup var report: ReportOptions

    func run() throws {
      let coordinator = try store.open()
      let metadata = try coordinator.metadata()
      var fields = FieldList()
      fields.add("path", store.store)
      fields.add("store", metadata.storeID.uuidString)
      fields.add("format", metadata.formatVersion)
      fields.add("models", metadata.modelVersion)
      fields.add("size", bytes: metadata.byteCount)
      try addHistory(of: coordinator, to: &fields)
      if let reader = try coordinator.oldestReader() {
        fields.add(
          "oldest reader", "process \(reader.processID), \(reader.commitLag) commits behind",
          .object([
            "process": .integer(reader.processID), "commitLag": .integer(reader.commitLag),
          ]))
      }
      let keys = metadata.keys
      fields.add("metadata", keys.joined(separator: ", "), .strings(keys))
      for entity in metadata.entities where !report.json {
        fields.add(entity.name, "\(entity.objectCount.grouped) objects")
      }
      if report.json {
        fields.add(
          "entities", "",
          .array(
            metadata.entities.map { entity in
              .object([
                "name": .string(entity.name),
                "superentity": entity.superentity.map(JSONValue.string),
                "objectCount": .integer(entity.objectCount),
              ])
            }))
      }
      try report.write(fields)
    }

    private func addHistory(
      of coordinator: PersistentStoreCoordinator, to fields: inout FieldList
    ) throws {
      guard let history = try coordinator.historyStatus() else {
        return fields.add("history", "none", .null)
      }
      let (first, last) = (history.oldestToken.generation, history.newestToken.generation)
      fields.add(
        "history", "transactions \(first + 1) to \(last), \(history.byteCount.asBytes)",
        .object([
          "oldest": .integer(first + 1), "newest": .integer(last),
          "byteCount": .integer(history.byteCount),
          "consumers": .object(
            history.consumers.sorted { $0.key < $1.key }.map {
              JSONValue.Member(name: $0.key, value: .integer($0.value.generation))
            }),
        ]))
    }
  }
#endif
