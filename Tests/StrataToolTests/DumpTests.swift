// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

/// A list whose members do not know it.
@Entity private final class Playlist: ManagedObject {
  var songs: OrderedToMany<Song>
}

@Entity private final class Song: ManagedObject {
  var title: String
}

@Suite(.enabled(if: ToolProcess.isThere, "the trait Tool is off"))
struct `A dump` {
  private let folder: TemporaryDirectory
  private let store: URL
  private let seed = SeededGenerator.firstSeed()

  init() throws {
    folder = try TemporaryDirectory()
    store = folder.file("samples.strata")
    try SampleStore.make(at: store, count: 60, seed: seed)
  }

  /// Writes a dump of the store into a file.
  private func dump(_ name: String = "dump", of store: URL? = nil) throws -> URL {
    let outcome = try ToolProcess.run("dump", (store ?? self.store).path)
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    try outcome.bytes.write(to: folder.file(name))
    return folder.file(name)
  }

  @Test func `that is loaded gives a store whose dump is equal, byte for byte`() async throws {
    let coordinator = try PersistentStoreCoordinator(at: store, model: SampleStore.model())
    try await coordinator.setMetadata(["zoom": 3], forKey: "map")
    let first = try dump()
    let loaded = folder.file("loaded.strata")
    let outcome = try ToolProcess.run("load", loaded.path, input: first)
    #expect(outcome.exitCode == 0, "STRATA_MODEL_SEED=\(seed): \(outcome.errors)")
    let second = try dump("second", of: loaded)
    let isEqual = try Data(contentsOf: first) == Data(contentsOf: second)
    #expect(isEqual, "STRATA_MODEL_SEED=\(seed)")
  }

  @Test func `that is loaded gives the program the objects with their IDs, values and orders`()
    throws
  {
    let loaded = folder.file("loaded.strata")
    _ = try ToolProcess.run("load", loaded.path, input: dump())
    let model = try SampleStore.model()
    let contexts = try [store, loaded].map {
      ManagedObjectContext(
        parent: try PersistentStoreCoordinator(at: $0, model: model, isReadOnly: true))
    }
    let samples = try contexts.map { try $0.fetch(Sample.all) }
    #expect(samples[0].map(\.objectID) == samples[1].map(\.objectID))
    for (former, present) in zip(samples[0], samples[1]) {
      #expect(type(of: former) == type(of: present))
      #expect(former.children.objectIDs == present.children.objectIDs, "STRATA_MODEL_SEED=\(seed)")
      #expect(former.labels.objectIDs == present.labels.objectIDs)
      #expect(former.friends.objectIDs == present.friends.objectIDs)
      #expect(former.blob == present.blob && former.spot == present.spot)
      #expect(former.decimal == present.decimal || former.decimal?.isNaN == true)
      #expect(former.double?.bitPattern == present.double?.bitPattern)
    }
    let check = try ToolProcess.run("check", loaded.path)
    #expect(check.exitCode == 0, "\(check.output)")
  }

  @Test func `gives new objects of the loaded store other IDs than all former ones`() throws {
    let loaded = folder.file("loaded.strata")
    _ = try ToolProcess.run("load", loaded.path, input: dump())
    let context = ManagedObjectContext(
      parent: try PersistentStoreCoordinator(at: loaded, model: SampleStore.model()))
    let known = Set(try context.fetchIDs(Sample.all) + context.fetchIDs(Label.all))
    let sample = Sample(context: context)
    sample.name = "new"
    try context.save()
    #expect(!known.contains(sample.objectID))
  }

  /// As the dump of a store in which a former release has used serials without a reservation.
  @Test func `with objects above its next serial is loaded whole`() throws {
    let former = try String(contentsOf: dump(), encoding: .utf8)
    let behind = folder.file("behind")
    try Data(
      former.replacingOccurrences(
        of: #""nextSerial":\d+"#, with: #""nextSerial":1"#, options: .regularExpression
      ).utf8
    ).write(to: behind)
    let loaded = folder.file("loaded.strata")
    let outcome = try ToolProcess.run("load", loaded.path, input: behind)
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    let check = try ToolProcess.run("check", loaded.path)
    #expect(check.exitCode == 0, "\(check.output)")
  }

  @Test func `of each golden store is loaded to an equal dump`() throws {
    let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("GoldenStores/Stores")
    for name in try FileManager.default.contentsOfDirectory(atPath: golden.path)
    where name.hasSuffix(".strata") {
      let copy = folder.file(name)
      try FileManager.default.copyItem(at: golden.appendingPathComponent(name), to: copy)
      let first = try dump(name + ".1", of: copy)
      let loaded = folder.file("loaded-" + name)
      #expect(try ToolProcess.run("load", loaded.path, input: first).exitCode == 0)
      let second = try dump(name + ".2", of: loaded)
      #expect(try Data(contentsOf: first) == Data(contentsOf: second))
    }
  }

  @Test func `with more members than a line has keeps their order`() throws {
    var random = SeededGenerator(seed: seed)
    let many = folder.file("many.strata")
    let context = ManagedObjectContext(
      parent: try PersistentStoreCoordinator(
        at: many, model: SampleStore.model(), durability: .none))
    let sample = Sample(context: context)
    sample.name = "of many labels"
    let labels = (0..<2_300).map { number in
      let label = Label(context: context)
      label.title = "label \(number)"
      return label
    }
    sample.labels.append(contentsOf: labels.shuffled(using: &random))
    try context.save()
    let first = try dump("many.1", of: many)
    let lines = try String(contentsOf: first, encoding: .utf8).split(separator: "\n")
    #expect(lines.count { $0.contains(#""property":"labels""#) } == 3)
    let loaded = folder.file("loaded.strata")
    #expect(try ToolProcess.run("load", loaded.path, input: first).exitCode == 0)
    let isEqual = try Data(contentsOf: first) == Data(contentsOf: dump("many.2", of: loaded))
    #expect(isEqual, "STRATA_MODEL_SEED=\(seed)")
  }

  /// Appending to a list reads it, once after each save.
  @Test func `with a long list is loaded in a few saves`() throws {
    let model = try ManagedObjectModel(Playlist.self, Song.self)
    let (many, loaded) = (folder.file("many.strata"), folder.file("loaded.strata"))
    let context = ManagedObjectContext(
      parent: try PersistentStoreCoordinator(at: many, model: model, durability: .none))
    let playlist = Playlist(context: context)
    playlist.songs.append(
      contentsOf: (0..<16_000).map { number in
        let song = Song(context: context)
        song.title = "song \(number)"
        return song
      })
    try context.save()
    #expect(try ToolProcess.run("load", loaded.path, input: dump("many", of: many)).exitCode == 0)
    let coordinator = try PersistentStoreCoordinator(at: loaded, model: model, isReadOnly: true)
    // A save for each 1,000 objects, and then one each time that the list has doubled.
    let saveCount = try coordinator.currentHistoryToken().generation
    #expect(saveCount < 16 + 10)
    let reader = ManagedObjectContext(parent: coordinator)
    let songs = try reader.fetch(Playlist.all)[0].songs.objectIDs
    withExtendedLifetime((context, reader)) { #expect(songs == playlist.songs.objectIDs) }
  }

  @Test func `of a store that a program saves to is one state of it`() throws {
    let url = folder.file("ledger.strata")
    let writer = try RunningWriter(storeAt: url)
    defer { writer.kill() }
    _ = try writer.waitForSave(after: 3)
    for round in 0..<3 {
      let loaded = folder.file("ledger-\(round).strata")
      let outcome = try ToolProcess.run("load", loaded.path, input: dump("ledger", of: url))
      #expect(outcome.exitCode == 0, "\(outcome.errors)")
      let check = try ToolProcess.run("check", loaded.path)
      #expect(check.exitCode == 0, "\(check.output)")
    }
  }

  @Test func `leaves the file of the store as it was`() throws {
    let before = try Data(contentsOf: store)
    _ = try dump()
    #expect(try Data(contentsOf: store) == before)
  }

  @Test func `that was cut anywhere makes no store`() throws {
    let lines = try String(contentsOf: dump(), encoding: .utf8).split(separator: "\n")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<6 {
      let count = Int.random(in: 0..<lines.count, using: &random)
      try expectRefusal(of: lines.prefix(count).joined(separator: "\n"), "after \(count) lines")
    }
    try expectRefusal(of: lines.joined(separator: "\n").dropLast(9), "within the last line")
  }

  @Test func `with a wrong line makes no store and says which line it is`() throws {
    let lines = try String(contentsOf: dump(), encoding: .utf8).split(separator: "\n")
    let wrong = [
      "{", "null", "[]", #"{"object":"Nothing/1","values":{}}"#, #"{"object":"Label/0"}"#,
      #"{"object":"Label/281474976710656","values":{}}"#, #"{"object":"Label","values":{}}"#,
      #"{"object":"Label/9","values":{"nothing":1}}"#,
      #"{"object":"Label/9","values":{"title":1}}"#,
      #"{"object":"Label/1099511627777","values":{"title":"in no range of the store"}}"#,
      String(lines[0]),
      #"{"object":"Sample/9","values":{"int8":128}}"#,
      #"{"object":"Sample/9","values":{"decimal":340282366920938463463374607431768211456}}"#,
      #"{"object":"Sample/9","values":{"decimal":1e-9223372036854775808}}"#,
      #"{"object":"Sample/9","values":{"decimal":1e128}}"#,
      #"{"object":"Sample/9","values":{"decimal":1e-129}}"#,
      #"{"object":"Sample/9","values":{"decimal":0e1000}}"#,
      #"{"object":"Sample/9","values":{"decimal":0e-1000}}"#,
      #"{"links":"Label/60000","targets":{}}"#, #"{"end":{"objects":1}}"#, "\u{1B}[31m",
    ]
    for line in wrong {
      let text = ([lines[0], Substring(line)] + lines.dropFirst()).joined(separator: "\n")
      let outcome = try expectRefusal(of: text, line)
      #expect(outcome.errors.contains("Line 2 "), "\(line): \(outcome.errors)")
      #expect(!outcome.errors.contains("\u{1B}"))
    }
  }

  /// Of a value of two bytes, sixteen bytes of memory become.
  @Test func `with more values or levels in a line than any line has makes no store`() throws {
    let lines = try String(contentsOf: dump(), encoding: .utf8).split(separator: "\n")
    let many = "[" + repeatElement("1", count: 1 << 20).joined(separator: ",") + "]"
    let deep = String(repeating: "[", count: 63) + String(repeating: "]", count: 63)
    func line(_ title: String) -> String { #"{"object":"Label/9","values":{"title":\#(title)}}"# }
    for (line, limit) in [
      (many, "1048576 values"), (line(many), "1048576 values"), ("[[\(deep)]]", "64 levels"),
      (line(deep), "64 levels"),
    ] {
      let text = ([lines[0], Substring(line)] + lines.dropFirst()).joined(separator: "\n")
      let outcome = try expectRefusal(of: text, limit)
      #expect(outcome.errors.contains("at most \(limit)"), "\(outcome.errors)")
    }
  }

  @Test func `with decimals in any notation is loaded with their values`() throws {
    func power(_ exponent: Int) -> Decimal {
      Decimal(sign: .plus, exponent: exponent, significand: 1)
    }
    let decimals: [String: Decimal] = [
      "1e127": power(127), "0.001e130": power(127), "1e-128": power(-128),
      "1000e-131": power(-128), "0e999": 0, "0e-999": 0, "1E+2": 100, "-1e2": -100,
    ]
    var lines = try String(contentsOf: dump(), encoding: .utf8).split(separator: "\n")
    let count = lines.count { $0.hasPrefix(#"{"object":"#) }
    for (index, digits) in decimals.keys.enumerated() {
      let values = #"{"name":"=\#(digits)","decimal":\#(digits)}"#
      lines.insert(#"{"object":"Sample/\#(60_001 + index)","values":\#(values)}"#, at: 1)
    }
    lines[lines.count - 1] = #"{"end":{"objects":\#(count + decimals.count)}}"#
    let (input, loaded) = (folder.file("input"), folder.file("loaded.strata"))
    try Data(lines.joined(separator: "\n").utf8).write(to: input)
    let outcome = try ToolProcess.run("load", loaded.path, input: input)
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    let context = ManagedObjectContext(
      parent: try PersistentStoreCoordinator(
        at: loaded, model: SampleStore.model(), isReadOnly: true))
    let samples = try context.fetch(Sample.where { $0.name.hasPrefix("=") })
    let found = samples.map { (String($0.name.dropFirst()), $0.decimal ?? .nan) }
    #expect(Dictionary(uniqueKeysWithValues: found) == decimals)
  }

  /// Loads the dump with a line of this many bytes, where a line may have 200,000.
  private func load(withLineOf byteCount: Int) throws -> ToolProcess.Outcome {
    let lines = try String(contentsOf: dump(), encoding: .utf8).split(separator: "\n")
    let line = String(repeating: " ", count: byteCount - lines[1].utf8.count) + lines[1]
    let text = ([lines[0], line[...]] + lines.dropFirst(2)).joined(separator: "\n")
    try Data(text.utf8).write(to: folder.file("input"))
    return try ToolProcess.run(
      "load", folder.file("loaded.strata").path, input: folder.file("input"),
      variables: ["STRATA_LINE_BYTE_COUNT_MAX": "200000"])
  }

  @Test func `with a line as long as a line may be is loaded`() throws {
    let outcome = try load(withLineOf: 200_000)
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
  }

  @Test(arguments: [200_001, 400_000])
  func `with a longer line makes no store`(byteCount: Int) throws {
    let outcome = try load(withLineOf: byteCount)
    #expect(outcome.exitCode == 65, "\(outcome.errors)")
    #expect(outcome.errors.contains("Line 2 "), "\(outcome.errors)")
    #expect(outcome.errors.contains("it is longer than 200000 bytes"), "\(outcome.errors)")
    #expect(!FileManager.default.fileExists(atPath: folder.file("loaded.strata").path))
  }

  @Test func `whose links lead to objects that are not there makes no store`() throws {
    let lines = try String(contentsOf: dump(), encoding: .utf8).split(separator: "\n")
    let link = try #require(lines.first { $0.contains(#""targets":{"#) })
    let id = try #require(link.split(separator: "\"").first { $0.contains("Sample/") })
    let text = lines.filter { !$0.hasPrefix(#"{"object":"\#(id)""#) }.joined(separator: "\n")
    try expectRefusal(of: text, "\(id) is missing")
  }

  @Test(arguments: ["marks", "held", "labels", "children"])
  func `with a member of another entity makes no store`(property: String) throws {
    let lines = try String(contentsOf: dump(), encoding: .utf8).split(separator: "\n")
    func id(of entity: String) throws -> Substring {
      let line = try #require(lines.first { $0.hasPrefix(#"{"object":"\#(entity)/"#) })
      return line.split(separator: "\"")[3]
    }
    let owner = try id(of: "Sample")
    let member = property == "children" ? try id(of: "Label") : owner
    let link = #"{"links":"\#(owner)","property":"\#(property)","members":["\#(member)"]}"#
    let text = (lines.dropLast() + [Substring(link), lines[lines.count - 1]])
      .joined(separator: "\n")
    let outcome = try expectRefusal(of: text, link)
    #expect(outcome.errors.contains("Line \(lines.count) "), "\(outcome.errors)")
  }

  @Test func `whose loading is killed leaves no store, and the next one removes the rest`() throws {
    let whole = try dump()
    let loaded = folder.file("loaded.strata")
    func files() throws -> Set<String> {
      try Set(FileManager.default.contentsOfDirectory(atPath: folder.url.path))
    }
    let before = try files()
    let (process, lines) = (Process(), Pipe())
    process.executableURL = ToolProcess.product("strata")
    process.arguments = ["load", loaded.path]
    process.standardInput = lines
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    try lines.fileHandleForWriting.write(contentsOf: Data(contentsOf: whole).dropLast(9))
    while try files() == before { usleep(1_000) }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    let rest = try files().subtracting(before)
    #expect(!rest.isEmpty && rest.allSatisfy { $0.hasPrefix("loaded.strata.new-") }, "\(rest)")
    #expect(try ToolProcess.run("load", loaded.path, input: whole).exitCode == 0)
    let new = try files().subtracting(before)
    #expect(new == ["loaded.strata"] || new == ["loaded.strata", "loaded.strata-lock"], "\(new)")
  }

  @Test func `is not loaded over a file`() throws {
    let file = folder.file("there")
    try Data("mine".utf8).write(to: file)
    let outcome = try ToolProcess.run("load", file.path, input: dump())
    #expect(outcome.exitCode == 73)
    #expect(try Data(contentsOf: file) == Data("mine".utf8))
  }

  /// Loads a text that is not a whole dump, and expects that nothing is left of it.
  @discardableResult
  private func expectRefusal(
    of text: some StringProtocol, _ what: some StringProtocol
  ) throws -> ToolProcess.Outcome {
    let (input, loaded) = (folder.file("input"), folder.file("refused.strata"))
    try Data(text.utf8).write(to: input)
    let outcome = try ToolProcess.run("load", loaded.path, input: input)
    #expect(outcome.exitCode == 65, "\(what): \(outcome.errors)")
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path).filter {
      $0.hasPrefix("refused")
    }
    #expect(left.isEmpty, "\(what): \(left)")
    return outcome
  }
}
