// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

/// A book of which neither the number nor the name is unique.
@Entity private final class Book: ManagedObject {
  @Attribute(.indexed) var number: Int
  @Attribute(.indexed) var name: String?
  var next: Book?
}

/// The length of its name is that of `Book`: one can take the place of the other in a file.
@Entity private final class Desk: ManagedObject {
  var label: String?
}

@Suite(.enabled(if: ToolProcess.isThere, "the trait Tool is off"))
struct `A file that is damaged or no store` {
  private let folder: TemporaryDirectory
  private let store: URL

  init() throws {
    folder = try TemporaryDirectory()
    store = folder.file("samples.strata")
    let coordinator = try PersistentStoreCoordinator(
      at: store, model: SampleStore.model(), durability: .none)
    let context = ManagedObjectContext(parent: coordinator)
    let label = Label(context: context)
    label.title = "of all"
    for index in 0..<200 {
      let sample = Sample(context: context)
      sample.name = "sample \(index)"
      sample.data = Data("data of number \(index), unlike any other".utf8)
      sample.marks.insert(label)
      if index == 7 { sample.blob = Data("a blob that is beside the record".utf8) }
    }
    try context.save()
  }

  /// Changes a bit in the only place of the file that has a text.
  private func damage(_ text: String) throws {
    var bytes = try Data(contentsOf: store)
    let found = try #require(bytes.range(of: Data(text.utf8)))
    #expect(bytes[found.upperBound...].range(of: Data(text.utf8)) == nil, "the text is there once")
    bytes[found.lowerBound] ^= 1
    try bytes.write(to: store)
  }

  private static let readers = [
    ["info"], ["model"], ["stat"], ["check"], ["dump"], ["fetch"], ["explain"], ["history"],
    ["backup"], ["salvage"], ["migrate"],
  ]

  /// The arguments of a command that reads a file.
  private func arguments(_ command: String, _ path: String) -> [String] {
    switch command {
    case "fetch", "explain": [command, path, "Sample"]
    case "backup", "salvage": [command, path, folder.file("copy").path]
    case "migrate": [command, path, folder.file("model.json").path, "--dry-run"]
    default: [command, path]
    }
  }

  @Test(arguments: readers)
  func `is named when it is missing, and nothing is made`(command: [String]) throws {
    let path = folder.file("missing").path
    let outcome = try ToolProcess.run(arguments(command[0], path))
    #expect(outcome.exitCode == 66, "\(outcome.errors)")
    #expect(outcome.bytes.isEmpty && outcome.errors.contains(path))
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(files.sorted() == ["samples.strata", "samples.strata-lock"])
  }

  @Test(arguments: readers)
  func `is refused when it is another file, a folder or empty`(command: [String]) throws {
    let (other, empty) = (folder.file("other"), folder.file("empty"))
    try Data(String(repeating: "no store at all ", count: 1_000).utf8).write(to: other)
    try Data().write(to: empty)
    for path in [other.path, empty.path, folder.url.path] {
      let outcome = try ToolProcess.run(arguments(command[0], path))
      #expect(outcome.exitCode == 65, "\(path): \(outcome.errors)")
      #expect(outcome.bytes.isEmpty)
      #expect(!FileManager.default.fileExists(atPath: path + "-lock"))
    }
  }

  @Test func `shows no escape sequence of its name`() throws {
    let outcome = try ToolProcess.run("info", folder.file("\u{1B}[31mred").path)
    #expect(outcome.exitCode == 66 && !outcome.errors.contains("\u{1B}"))
  }

  @Test func `with a damaged record is found by a check`() throws {
    #expect(try ToolProcess.run("check", store.path).exitCode == 0)
    try damage(
      "data of number 77, unlike any other")
    let outcome = try ToolProcess.run("check", store.path)
    #expect(outcome.exitCode == 1, "\(outcome.output)")
    #expect(outcome.lines.contains { $0.hasPrefix("damage: Sample/") && $0.contains("checksum") })
    #expect(!outcome.output.contains("unlike"), "no value is shown")
    let json = try ToolProcess.run("check", store.path, "--json")
    #expect(json.exitCode == 1)
    let lines = try json.jsonLines()
    #expect(lines.contains { $0["kind"] as? String == "damage" })
    #expect((lines.last?["summary"] as? [String: Any])?["damages"] as? Int ?? 0 > 0)
  }

  @Test func `with a damaged external value is found by a check`() throws {
    try damage("a blob that is beside the record")
    let outcome = try ToolProcess.run("check", store.path)
    #expect(outcome.exitCode == 1)
    #expect(outcome.lines.contains { $0.contains(".blob") }, "\(outcome.output)")
  }

  @Test func `is salvaged without the damaged object, and links lead to none`() throws {
    try damage("data of number 77, unlike any other")
    #expect(try ToolProcess.run("dump", store.path).exitCode == 65)
    let copy = folder.file("salvaged.strata")
    let outcome = try ToolProcess.run("salvage", store.path, copy.path)
    #expect(outcome.exitCode == 1, "\(outcome.output) \(outcome.errors)")
    #expect(outcome.lines.filter { $0.hasPrefix("damage: Sample/") }.count == 1)
    let context = ManagedObjectContext(
      parent: try PersistentStoreCoordinator(at: copy, model: SampleStore.model()))
    let samples = try context.fetch(Sample.all)
    #expect(samples.count == 199)
    #expect(!samples.contains { $0.name == "sample 77" })
    #expect(samples.first { $0.name == "sample 7" }?.blob != nil)
    #expect(samples.allSatisfy { $0.marks.count == 1 })
    let check = try ToolProcess.run("check", copy.path)
    #expect(check.exitCode == 0, "\(check.output)")
  }

  /// The search for objects goes by the serials of those that can be read, not by the counter.
  @Test func `with a damaged counter and a damaged page is salvaged in time`() throws {
    var bytes = try Data(contentsOf: store)
    let record = try #require(bytes.range(of: Data("data of number 77, unlike any other".utf8)))
    // The flags of a page follow its number and two other bytes.
    let page = record.lowerBound / 4_096 * 4_096
    bytes.replaceSubrange(page + 10..<page + 12, with: [0, 0])
    try bytes.write(to: store)
    // Almost the end of the range of serials.
    try setCounter(1 << 40 - 2)
    let copy = folder.file("salvaged.strata")
    let outcome = try ToolProcess.run("salvage", store.path, copy.path)
    #expect(outcome.exitCode == 1, "\(outcome.output) \(outcome.errors)")
    let context = ManagedObjectContext(
      parent: try PersistentStoreCoordinator(at: copy, model: SampleStore.model()))
    let count = try context.fetch(Sample.all).count
    #expect(100..<200 ~= count)
  }

  /// Sets the counter of serials in the file.
  private func setCounter(_ counter: UInt64) throws {
    var bytes = try Data(contentsOf: store)
    let value = withUnsafeBytes(of: counter.littleEndian) { Data($0) }
    var rest = bytes.startIndex
    while let name = bytes[rest...].range(of: Data("#serial".utf8)) {
      bytes.replaceSubrange(name.upperBound..<name.upperBound + 8, with: value)
      rest = name.upperBound
    }
    #expect(rest > bytes.startIndex, "the counter is there")
    try bytes.write(to: store)
  }

  /// The second counter is of another store's range.
  @Test(arguments: [1, 1 << 41] as [UInt64])
  func `with a wrong counter of serials is salvaged without a loss`(counter: UInt64) throws {
    try setCounter(counter)
    let copy = folder.file("salvaged.strata")
    let outcome = try ToolProcess.run("salvage", store.path, copy.path)
    #expect(outcome.exitCode == 0, "\(outcome.output) \(outcome.errors)")
    let check = try ToolProcess.run("check", copy.path)
    #expect(check.exitCode == 0, "\(check.output)")
    let context = ManagedObjectContext(
      parent: try PersistentStoreCoordinator(at: copy, model: SampleStore.model()))
    #expect(try context.count(Sample.all) == 200)
  }

  @Test func `is salvaged with the owners that its records name, not its index`() throws {
    let keys = try makeFamily().map { id in
      withUnsafeBytes(of: id.key.rawValue.bigEndian) { Data($0) }
    }
    var bytes = try Data(contentsOf: store)
    // The only entry of the index: the child under its owner.
    let (entry, wrong) = (keys[0] + keys[2], keys[1] + keys[2])
    #expect(bytes.range(of: entry) != nil, "the entry is there")
    while let found = bytes.range(of: entry) { bytes.replaceSubrange(found, with: wrong) }
    try bytes.write(to: store)

    #expect(try ToolProcess.run("dump", store.path).exitCode == 65)
    let copy = folder.file("salvaged.strata")
    let outcome = try ToolProcess.run("salvage", store.path, copy.path)
    #expect(outcome.exitCode == 1, "\(outcome.output) \(outcome.errors)")
    #expect(outcome.lines.filter { $0.hasPrefix("damage: Sample/") }.count == 1)
    let context = ManagedObjectContext(
      parent: try PersistentStoreCoordinator(at: copy, model: SampleStore.model()))
    let child = try #require(try context.fetch(Sample.where { $0.name == "child" }).first)
    #expect(child.parent?.name == "owner")
  }

  @Test func `is salvaged without a link to an object of another entity`() throws {
    let (sample, label) = try ends()
    var bytes = try Data(contentsOf: store)
    let (link, wrong) = (sample + label, sample + sample)
    #expect(bytes.range(of: link) != nil, "the link is there")
    while let found = bytes.range(of: link) { bytes.replaceSubrange(found, with: wrong) }
    try bytes.write(to: store)

    let copy = folder.file("salvaged.strata")
    let outcome = try ToolProcess.run("salvage", store.path, copy.path)
    #expect(outcome.exitCode == 1, "\(outcome.output) \(outcome.errors)")
    let damages = outcome.lines.filter { $0.hasPrefix("damage: ") }
    #expect(damages.count == 1 && damages[0].contains(".marks"), "\(outcome.output)")
    let context = ManagedObjectContext(
      parent: try PersistentStoreCoordinator(at: copy, model: SampleStore.model()))
    let samples = try context.fetch(Sample.all)
    #expect(samples.filter { $0.marks.isEmpty }.map(\.name) == ["sample 77"])
    #expect(try ToolProcess.run("check", copy.path).exitCode == 0)
  }

  /// The key of a sample, and of the label that it is linked to, as links have them.
  private func ends() throws -> (sample: Data, label: Data) {
    let context = ManagedObjectContext(
      parent: try PersistentStoreCoordinator(
        at: store, model: SampleStore.model(), durability: .none))
    let sample = try #require(try context.first(Sample.where { $0.name == "sample 77" }))
    let label = try #require(try context.fetchIDs(Label.all).first)
    let ends = [sample.objectID, label].map { id in
      withUnsafeBytes(of: id.key.rawValue.bigEndian) { Data($0) }
    }
    return (ends[0], ends[1])
  }

  /// Adds a sample that is the only child of another one, and a third one: owner, other, child.
  private func makeFamily() throws -> [ObjectID] {
    let context = ManagedObjectContext(
      parent: try PersistentStoreCoordinator(
        at: store, model: SampleStore.model(), durability: .none))
    let samples = ["owner", "other", "child"].map { name in
      let sample = Sample(context: context)
      sample.name = name
      return sample
    }
    samples[2].parent = samples[0]
    try context.save()
    return samples.map(\.objectID)
  }

  @Test func `is salvaged with one object for each unique value`() throws {
    let (library, copy) = (folder.file("library.strata"), folder.file("salvaged.strata"))
    try makeLibrary(at: library)
    // The description says that both are unique. A space keeps its length.
    for attribute in ["name", "number"] {
      let end = ",\"name\":\"\(attribute)\""
      try replace("\"isUnique\":false" + end, by: "\"isUnique\": true" + end, in: library)
    }

    let outcome = try ToolProcess.run("salvage", library.path, copy.path)
    #expect(outcome.exitCode == 1, "\(outcome.output) \(outcome.errors)")
    let losses = outcome.lines.filter { $0.hasPrefix("damage: ") }
    #expect(losses.count == 2, "\(losses)")
    #expect(losses.contains { $0.hasPrefix("damage: Book/2.name: ") })
    #expect(losses.contains { $0.hasPrefix("damage: Book/3: ") })
    let context = ManagedObjectContext(
      parent: try PersistentStoreCoordinator(
        at: copy, model: ManagedObjectModel(ofStoreAt: copy)))
    let books = try context.fetch(FetchRequest<ManagedObject>(entityName: "Book"))
    let numbers = try books.map { try $0.value(for: "number") }
    #expect(Set(numbers) == [.int(1), .int(2)])
    #expect(try ToolProcess.run("check", copy.path).exitCode == 0)
  }

  @Test func `is salvaged without a target of another entity`() throws {
    let (library, copy) = (folder.file("library.strata"), folder.file("salvaged.strata"))
    try makeLibrary(at: library)
    // The description says that books lead to desks.
    try replace(#""destination":"Book""#, by: #""destination":"Desk""#, in: library)

    #expect(try ToolProcess.run("dump", library.path).exitCode == 65)
    let outcome = try ToolProcess.run("salvage", library.path, copy.path)
    #expect(outcome.exitCode == 1, "\(outcome.output) \(outcome.errors)")
    let losses = outcome.lines.filter { $0.hasPrefix("damage: ") }
    #expect(losses.count == 2, "\(losses)")
    #expect(losses.contains { $0.hasPrefix("damage: Book/1.next: ") })
    #expect(losses.contains { $0.hasPrefix("damage: Book/2.next: ") })
    let context = ManagedObjectContext(
      parent: try PersistentStoreCoordinator(
        at: copy, model: ManagedObjectModel(ofStoreAt: copy)))
    #expect(try context.fetch(FetchRequest<ManagedObject>(entityName: "Book")).count == 3)
    #expect(try ToolProcess.run("check", copy.path).exitCode == 0)
  }

  @Test(
    arguments: ["check", "salvage"],
    [
      (#""inverse":"Sample.children""#, #""inverse":"Sample.childref""#),
      (#""inverse":"Label.samples""#, #""inverse":"Label.sample3""#),
      (#""inverse":"Label.worn""#, #""invdrse":"Label.worn""#),
      (#""inverse":"Sample.held""#, #""inverqe":"Sample.held""#),
    ])
  func `is named where its relationships do not match each other`(
    command: String, flip: (former: String, present: String)
  ) throws {
    let damaged = folder.file("\(flip.present).strata")
    try FileManager.default.copyItem(at: store, to: damaged)
    try replace(flip.former, by: flip.present, in: damaged)
    let copy = folder.file("salvaged.strata")
    let outcome = try ToolProcess.run(
      [command, damaged.path] + (command == "salvage" ? [copy.path] : []))
    #expect(outcome.exitCode == 65, "\(outcome.output) \(outcome.errors)")
    #expect(outcome.errors.contains("its parts do not match each other"), "\(outcome.errors)")
    #expect(!FileManager.default.fileExists(atPath: copy.path))
  }

  /// Replaces a text in a file by another one of the same length, wherever it is.
  private func replace(_ former: String, by present: String, in url: URL) throws {
    var bytes = try Data(contentsOf: url)
    #expect(bytes.range(of: Data(former.utf8)) != nil, "\(former) is in the file")
    while let found = bytes.range(of: Data(former.utf8)) {
      bytes.replaceSubrange(found, with: Data(present.utf8))
    }
    try bytes.write(to: url)
  }

  /// Saves three books: the second has the name of the first, the third its number, and each leads
  /// to the next.
  private func makeLibrary(at url: URL) throws {
    let context = ManagedObjectContext(
      parent: try PersistentStoreCoordinator(
        at: url, model: ManagedObjectModel(Book.self, Desk.self), durability: .none))
    let books = [(1, "a"), (2, "a"), (1, nil)].map { number, name in
      let book = Book(context: context)
      (book.number, book.name) = (number, name)
      return book
    }
    (books[0].next, books[1].next) = (books[1], books[2])
    try context.save()
  }

  @Test func `that is whole is salvaged without a loss`() throws {
    let copy = folder.file("salvaged.strata")
    let outcome = try ToolProcess.run("salvage", store.path, copy.path, "--json")
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    let dumps = try [store, copy].map { try ToolProcess.run("dump", $0.path).bytes }
    #expect(dumps[0] == dumps[1])
  }

  @Test func `ends no command with a signal, wherever bits are flipped`() throws {
    let whole = try Data(contentsOf: store)
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    let copy = folder.file("flipped.strata")
    for round in 0..<12 {
      var bytes = whole
      for _ in 0...Int.random(in: 0..<40, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= UInt8(
          1 << Int.random(in: 0..<8, using: &random))
      }
      try bytes.write(to: copy)
      let salvaged = folder.file("salvaged-\(round)")
      for arguments in [["check", copy.path], ["salvage", copy.path, salvaged.path]] {
        let outcome = try ToolProcess.run(arguments)
        let isStated = [0, 1, 65].contains(outcome.exitCode)
        #expect(isStated, "STRATA_MODEL_SEED=\(seed), \(arguments[0]) \(round): \(outcome.errors)")
      }
    }
  }
}
