// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

/// A store whose owner chose texts that change how a terminal shows them: in the names of entities
/// and properties, in values, in keys of the metadata, and in the author of a transaction.
@Suite(.enabled(if: ToolProcess.isThere, "the trait Tool is off"))
struct `The tool on a terminal` {
  private let folder: TemporaryDirectory
  private let store: URL

  /// Changes the colour, and the direction, of the text behind it.
  private static let hostile = "\u{1B}[31m\u{202E}\u{9B}"

  init() async throws {
    folder = try TemporaryDirectory()
    store = folder.file("hostile.strata")
    let (samples, dump) = (folder.file("samples.strata"), folder.file("dump"))
    try await onOwnThread { [store] in
      try SampleStore.make(at: samples, count: 20, seed: 1)
      let json = #"\u001B[31m\u202E\u009B"#
      let text = try ToolProcess.run("dump", samples.path).output
        .replacingOccurrences(of: "\"Label", with: "\"Label\(json)")
        .replacingOccurrences(of: "\"title\"", with: "\"title\(json)\"")
      try Data(text.utf8).write(to: dump)
      let loading = try ToolProcess.run("load", store.path, input: dump)
      try #require(loading.exitCode == 0, "\(loading.errors)")
    }
    let coordinator = try PersistentStoreCoordinator(
      at: store, model: ManagedObjectModel(ofStoreAt: store), durability: .none)
    try await coordinator.setMetadata(1, forKey: Self.hostile)
    try await coordinator.keepHistory()
    let context = ManagedObjectContext(parent: coordinator)
    context.transactionAuthor = Self.hostile
    let request = FetchRequest<ManagedObject>(entityName: "Label\(Self.hostile)")
    context.delete(try #require(try context.first(request)))
    try context.save()
    coordinator.store.close()
  }

  /// Expects that the output has a hostile text, escaped.
  private func expectSafe(_ arguments: [String]) throws {
    let outcome = try ToolProcess.run(arguments, onTerminal: true)
    let said = outcome.output + outcome.errors
    #expect(said.contains("u{202e}") || said.contains("u202e"), "\(arguments): \(said)")
    let unsafe = said.unicodeScalars.filter {
      ($0.value < 0x20 && $0 != "\n" && $0 != "\r") || 0x7F...0x9F ~= $0.value
        || $0.value == 0x202E
    }
    #expect(unsafe.isEmpty, "\(arguments): \(unsafe.map { String($0.value, radix: 16) })")
  }

  @Test(arguments: ["info", "model", "stat", "dump", "history"], [false, true])
  func `shows what a store is without its control characters`(
    command: String, isJSON: Bool
  ) throws {
    let more = command == "history" ? ["--changes"] : []
    try expectSafe([command, store.path] + more + (isJSON ? ["--json"] : []))
  }

  @Test(arguments: [false, true])
  func `explains a fetch without the control characters of names`(isJSON: Bool) throws {
    let request = ["Label\(Self.hostile)", "--sort", "title\(Self.hostile)"]
    try expectSafe(["explain", store.path] + request + (isJSON ? ["--json"] : []))
  }

  @Test(arguments: [false, true])
  func `names what is damaged without its control characters`(isJSON: Bool) throws {
    var bytes = try Data(contentsOf: store)
    while let found = bytes.range(of: Data("label 3".utf8)) { bytes[found.lowerBound] ^= 1 }
    try bytes.write(to: store)
    for command in [["check", store.path], ["salvage", store.path, folder.file("copy").path]] {
      try expectSafe(command + (isJSON ? ["--json"] : []))
    }
  }

  @Test(arguments: [["fetch", "Sample", "--columns", "nothing"], ["fetch", "Nothing"]])
  func `names what there is without its control characters`(arguments: [String]) throws {
    let others = arguments.dropFirst().map { $0 == "Sample" ? "Label\(Self.hostile)" : $0 }
    try expectSafe([arguments[0], store.path] + others)
  }

  @Test func `says how a model differs without the control characters of names`() throws {
    let model = try ToolProcess.run("model", store.path, "--json").output
      .replacingOccurrences(of: "title", with: "heading")
    try Data(model.utf8).write(to: folder.file("model.json"))
    try expectSafe(["migrate", store.path, folder.file("model.json").path, "--dry-run"])
  }
}
