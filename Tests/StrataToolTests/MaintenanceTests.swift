// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

@Suite(.enabled(if: ToolProcess.isThere, "the trait Tool is off"))
struct `The tool that looks after a store` {
  private let folder: TemporaryDirectory
  private let store: URL

  init() throws {
    folder = try TemporaryDirectory()
    store = folder.file("samples.strata")
    try SampleStore.make(at: store, count: 20, seed: 1)
  }

  @Test func `prints what a store is`() throws {
    let words = try ToolProcess.run("info", store.path)
    #expect(words.exitCode == 0)
    #expect(words.output.contains("RareSample"))
    let json = try ToolProcess.run("info", store.path, "--json").json()
    let entities = try #require(json["entities"] as? [[String: Any]])
    #expect(entities.compactMap { $0["name"] as? String } == ["Label", "RareSample", "Sample"])
    #expect(json["history"] is NSNull)
  }

  @Test func `prints the model that a store has inside`() throws {
    let words = try ToolProcess.run("model", store.path)
    #expect(words.output.contains("children  to many, ordered, Sample, inverse Sample.parent"))
    #expect(words.output.contains("blob      data?, external"))
    let json = try ToolProcess.run("model", store.path, "--json").json()
    #expect((json["entities"] as? [Any])?.count == 3)
  }

  @Test func `prints how the space is used`() throws {
    let json = try ToolProcess.run("stat", store.path, "--json").json()
    let trees = try #require(json["trees"] as? [[String: Any]])
    #expect(trees.contains { $0["name"] as? String == "catalog" })
    #expect(trees.contains { $0["entity"] as? String == "Sample" })
    let pages = try #require(json["pages"] as? Int)
    let used = trees.reduce(0) { $0 + ($1["pageCount"] as? Int ?? 0) }
    #expect(used <= pages && used + (json["freePages"] as? Int ?? 0) <= pages)
    #expect(try ToolProcess.run("stat", store.path).output.contains("catalog"))
  }

  @Test func `changes no byte of a file that it only reads`() throws {
    let before = try Data(contentsOf: store)
    for command in ["info", "model", "stat", "check", "dump"] {
      #expect(try ToolProcess.run(command, store.path).exitCode == 0)
    }
    _ = try ToolProcess.run("fetch", store.path, "Sample")
    _ = try ToolProcess.run("salvage", store.path, folder.file("copy").path)
    #expect(try Data(contentsOf: store) == before)
  }

  @Test func `backs a store up beside a running writer`() throws {
    let url = folder.file("ledger.strata")
    let writer = try RunningWriter(storeAt: url)
    defer { writer.kill() }
    _ = try writer.waitForSave(after: 0)
    let copy = folder.file("copy.strata")
    let outcome = try ToolProcess.run("backup", url.path, copy.path, "--compacting", "--json")
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    #expect(try outcome.json()["size"] as? Int ?? 0 > 0)
    for path in [url.path, copy.path] {
      let check = try ToolProcess.run("check", path)
      #expect(check.exitCode == 0, "\(check.output) \(check.errors)")
    }
    let again = try ToolProcess.run("backup", url.path, copy.path)
    #expect(again.exitCode == 73, "\(again.errors)")
  }

  @Test func `compacts a store that nobody has open`() throws {
    let context = ManagedObjectContext(
      parent: try PersistentStoreCoordinator(at: store, model: SampleStore.model()))
    for sample in try context.fetch(Sample.all) { context.delete(sample) }
    try context.save()
    context.coordinator.store.close()
    let dump = try ToolProcess.run("dump", store.path).lines
    let json = try ToolProcess.run("compact", store.path, "--json").json()
    let sizes = (json["size"] as? Int ?? 0, json["formerSize"] as? Int ?? 0)
    #expect(sizes.0 < sizes.1)
    // The header has the next serial: a compaction reserves some.
    #expect(try ToolProcess.run("dump", store.path).lines.dropFirst() == dump.dropFirst())
  }

  @Test func `refuses to compact a store that a program has open`() throws {
    let url = folder.file("ledger.strata")
    let writer = try RunningWriter(storeAt: url)
    defer { writer.kill() }
    let saved = try writer.waitForSave(after: 0)
    let outcome = try ToolProcess.run("compact", url.path)
    #expect(outcome.exitCode == 75, "\(outcome.errors)")
    _ = try writer.waitForSave(after: saved)
  }

  @Test func `prints and prunes the history`() async throws {
    let none = try ToolProcess.run("history", store.path)
    #expect(none.exitCode == 64 && none.bytes.isEmpty)
    let coordinator = try PersistentStoreCoordinator(at: store, model: SampleStore.model())
    try await coordinator.keepHistory()
    let context = ManagedObjectContext(parent: coordinator)
    context.transactionAuthor = "the \u{1B}[31mtest"
    for number in 1...3 {
      let label = Label(context: context)
      label.title = "label of transaction \(number)"
      try context.save()
    }
    let all = try ToolProcess.run("history", store.path, "--json", "--changes").jsonLines()
    #expect(all.count == 3)
    #expect(all.allSatisfy { $0["inserted"] as? Int == 1 && $0["author"] as? String != nil })
    let words = try ToolProcess.run("history", store.path, "--limit", "1", onTerminal: true)
    #expect(!words.output.contains("\u{1B}[31m"))
    let numbers = all.compactMap { $0["number"] as? Int }
    let later = try ToolProcess.run("history", store.path, "--after", "\(numbers[1])")
    #expect(later.lines.count == 1)
    let pruned = try ToolProcess.run(
      "prune", store.path, "--through", "\(numbers[0])", "--json")
    #expect(try pruned.json()["deletedTransactions"] as? Int == 1, "\(pruned.errors)")
    #expect(try ToolProcess.run("history", store.path).lines.count == 2)
    #expect(try ToolProcess.run("prune", store.path, "--through", "999999").exitCode == 64)
    #expect(try ToolProcess.run("prune", store.path).exitCode == 64)
    #expect(try ToolProcess.run("prune", store.path, "--before", "2001-01-01").exitCode == 0)
    #expect(try ToolProcess.run("history", store.path).lines.count == 2)
    #expect(try ToolProcess.run("prune", store.path, "--all").exitCode == 0)
    #expect(try ToolProcess.run("history", store.path).bytes.isEmpty)
  }

  @Test func `says which changes of a model can be inferred`() throws {
    let model = try ToolProcess.run("model", store.path, "--json").output
    func migrate(_ text: String, _ more: String...) throws -> ToolProcess.Outcome {
      try Data(text.utf8).write(to: folder.file("model.json"))
      return try ToolProcess.run(
        ["migrate", store.path, folder.file("model.json").path, "--dry-run"] + more)
    }
    #expect(try migrate(model).output == "The store has this model.\n")
    let renamed = model.replacingOccurrences(
      of: #""name":"title""#, with: #""name":"heading","originalName":"title""#)
    let outcome = try migrate(renamed, "--json", "--on-copy")
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    #expect(try outcome.json()["changes"] as? [String] == ["Label.title is Label.heading"])
    let removed = model.replacingOccurrences(of: #""name":"title""#, with: #""name":"heading""#)
    let refused = try migrate(removed)
    #expect(refused.exitCode == 1 && refused.output.contains("not inferred: Label.title"))
    #expect(refused.output.contains("Label.heading is new and has no default"))
    let bounds = "1 to 255 bytes"
    for (unfit, reason) in [
      ("a.b", bounds), (String(repeating: "n", count: 256), bounds), ("", "no name"),
    ] {
      let named = model.replacingOccurrences(
        of: #""name":"title""#, with: #""name":"\#(unfit)","originalName":"title""#)
      let outcome = try migrate(named)
      #expect(outcome.exitCode == 65 && outcome.errors.contains(reason), "\(outcome.errors)")
    }
    #expect(try migrate("{}").exitCode == 65)
    #expect(try migrate("{\"entities\":[{\"name\":1}]}").exitCode == 65)
    #expect(try migrate("nonsense").exitCode == 65)
    let deep = try migrate(String(repeating: "[", count: 65) + String(repeating: "]", count: 65))
    #expect(deep.exitCode == 65 && deep.errors.contains("at most 64 levels"))
    let many = try migrate("[" + repeatElement("1", count: 1 << 20).joined(separator: ",") + "]")
    #expect(many.exitCode == 65 && many.errors.contains("at most 1048576 values"))
    let link = #"{"name":"b","kind":"toOne","destination":"A","inverse":"a"}"#
    let oneSided = try migrate(#"{"entities":[{"name":"A","relationships":[\#(link)]}]}"#)
    #expect(oneSided.exitCode == 65 && oneSided.errors.contains("“inverse” of A.b"))
    let large = try FileHandle(forWritingTo: folder.file("model.json"))
    try large.truncate(atOffset: 64 << 20 | 1)
    try large.close()
    let tooLarge = try ToolProcess.run(
      "migrate", store.path, folder.file("model.json").path, "--dry-run")
    #expect(tooLarge.exitCode == 65 && tooLarge.errors.contains("larger than 67108864 bytes"))
    let wet = try ToolProcess.run("migrate", store.path, folder.file("model.json").path)
    #expect(wet.exitCode == 64)
  }

  @Test(arguments: [
    #"{"name":"A","superentity":"A"}"#, #"{"name":"A","superentity":"B"}"#,
    #"{"name":"A","superentity":"B"},{"name":"B","superentity":"A"}"#,
    #"{"name":"A"},{"name":"A"}"#, #"{"name":""}"#, #"{"name":1}"#,
    #"{"name":"A","attributes":[{"name":"a","type":"bool"},{"name":"a","type":"int64"}]}"#,
    #"{"name":"A","attributes":[{"name":"a","type":"number"}]}"#,
    #"{"name":"A","attributes":[{"name":"a","type":"int8","default":1000}]}"#,
    #"{"name":"A","relationships":[{"name":"b","kind":"toOne","destination":"B"}]}"#,
    #"{"name":"A","indexes":[["a","b"]]}"#, #"{"name":"A","uniqueTogether":[[]]}"#,
  ])
  func `refuses a file whose entities are no model`(entities: String) throws {
    try expectRefusal(ofModelWith: entities)
  }

  @Test func `refuses a file with too many entities, levels or brackets`() throws {
    let levels = (0..<65).map { #"{"name":"E\#($0)","superentity":"E\#($0 + 1)"},"# }
    try expectRefusal(ofModelWith: levels.joined() + #"{"name":"E65"}"#)
    let many = (0..<40_000).map { #"{"name":"E\#($0)"}"# }
    try expectRefusal(ofModelWith: many.joined(separator: ","))
    for open in ["[", #"{"a":"#] {
      try expectRefusal(ofModelWith: String(repeating: open, count: 100_000))
    }
  }

  /// Expects that a migration refuses a file with these entities.
  private func expectRefusal(ofModelWith entities: String) throws {
    let file = folder.file("model.json")
    try Data("{\"entities\":[\(entities)]}".utf8).write(to: file)
    let outcome = try ToolProcess.run("migrate", store.path, file.path, "--dry-run")
    #expect(outcome.exitCode == 65, "\(outcome.errors)")
    #expect(outcome.bytes.isEmpty && outcome.errors.hasPrefix("strata: "))
  }

  @Test func `makes copies that are their owner's alone`() throws {
    let (dump, copies) = (folder.file("dump"), folder.url.appendingPathComponent("copies"))
    try ToolProcess.run("dump", store.path).bytes.write(to: dump)
    try FileManager.default.createDirectory(at: copies, withIntermediateDirectories: false)
    func copy(_ name: String) -> String { copies.appendingPathComponent(name).path }
    _ = try ToolProcess.run("load", copy("loaded"), input: dump)
    _ = try ToolProcess.run("salvage", store.path, copy("salvaged"))
    _ = try ToolProcess.run("backup", store.path, copy("backup"))
    _ = try ToolProcess.run("backup", store.path, copy("compact"), "--compacting")
    let names = try FileManager.default.contentsOfDirectory(atPath: copies.path)
    #expect(Set(["loaded", "salvaged", "backup", "compact"]).isSubset(of: names))
    for name in names {
      var status = stat()
      #expect(stat(copy(name), &status) == 0)
      #expect(status.st_mode & 0o777 == 0o600, "\(name)")
    }
  }

  @Test func `finds on a copy that values are not unique`() throws {
    let context = ManagedObjectContext(
      parent: try PersistentStoreCoordinator(at: store, model: SampleStore.model()))
    for label in try context.fetch(Label.all) { label.title = "equal titles" }
    try context.save()
    let model = try ToolProcess.run("model", store.path, "--json").output
      .replacingOccurrences(
        of: #""name":"title","type":"string""#,
        with: #""name":"title","type":"string","isUnique":true"#)
    try Data(model.utf8).write(to: folder.file("model.json"))
    let arguments = ["migrate", store.path, folder.file("model.json").path, "--dry-run"]
    #expect(try ToolProcess.run(arguments).exitCode == 0)
    let onCopy = try ToolProcess.run(arguments + ["--on-copy"])
    #expect(onCopy.exitCode == 1, "\(onCopy.errors)")
    #expect(onCopy.errors.contains("title") && !onCopy.errors.contains("equal titles"))
  }

  @Test func `writes a man page for each command`() throws {
    let manual = folder.file("man1")
    #expect(try ToolProcess.run("manual", manual.path).exitCode == 0)
    let help = try ToolProcess.run("--help").output
    let commands = help.split(separator: "\n").drop { !$0.hasPrefix("SUBCOMMANDS") }.dropFirst()
      .compactMap { line in
        line.hasPrefix("  ") && !line.hasPrefix("   ") && !line.hasPrefix("  See")
          ? line.split(separator: " ").first.map(String.init) : nil
      }
    #expect(commands.count == 16)
    let pages = try FileManager.default.contentsOfDirectory(atPath: manual.path)
    #expect(Set(pages) == Set(["strata.1"] + commands.map { "strata-\($0).1" }))
    for command in commands {
      let page = try String(
        contentsOf: manual.appendingPathComponent("strata-\(command).1"), encoding: .utf8)
      #expect(page.hasPrefix(".TH STRATA-\(command.uppercased()) 1\n.SH NAME\n"))
      #expect(page.contains(".SH SYNOPSIS\nstrata \(command) <"))
    }
  }
}
