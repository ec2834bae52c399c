// SPDX-License-Identifier: Apache-2.0
import CrashLedger
import Foundation
import Strata
import StrataTestSupport
import Testing

@Suite(.enabled(if: ToolProcess.isThere, "the trait Tool is off"))
struct `The tool that fetches` {
  private let folder: TemporaryDirectory
  private let store: String

  /// Three samples: two with numbers, and one whose text is hostile.
  init() throws {
    folder = try TemporaryDirectory()
    let url = folder.file("samples.strata")
    store = url.path
    let coordinator = try PersistentStoreCoordinator(
      at: url, model: SampleStore.model(), durability: .none)
    let context = ManagedObjectContext(parent: coordinator)
    let rows: [(String, Int, String?)] = [
      ("one", 1, "say \"hello\", twice\nand again"), ("two", 2, nil),
      ("three", 3, "\u{1B}]0;title\u{7}\u{1B}[2J\u{9B}31m\u{202E}abc"),
    ]
    for (name, count, text) in rows {
      let sample = Sample(context: context)
      (sample.name, sample.count, sample.text) = (name, count, text)
    }
    let label = Label(context: context)
    label.title = "first"
    try context.save()
    let one = try #require(try context.first(Sample.where { $0.name == "one" }))
    one.wearer = label
    one.date = Date(timeIntervalSince1970: 1_700_000_000.25)
    one.data = Data([1, 2, 3])
    one.spot = Spot(x: 2, label: "here")
    try context.save()
  }

  @Test func `prints the rows of a condition in their order as CSV`() throws {
    let outcome = try ToolProcess.run(
      "fetch", store, "Sample", "--where", "count > 1", "--sort", "-count", "--format", "csv",
      "--columns", "name,count")
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    #expect(outcome.output == "name,count\nthree,3\ntwo,2\n")
  }

  @Test func `quotes texts with commas, quotation marks and line ends in CSV`() throws {
    let outcome = try ToolProcess.run(
      "fetch", store, "Sample", "--where", "name = 'one'", "--format", "csv", "--columns",
      "name,text,wearer.title")
    #expect(
      outcome.output
        == "name,text,wearer.title\none,\"say \"\"hello\"\", twice\nand again\",first\n")
  }

  @Test func `begins formulas in CSV with an apostrophe if it is told to`() throws {
    let coordinator = try PersistentStoreCoordinator(
      at: URL(fileURLWithPath: store), model: SampleStore.model())
    let context = ManagedObjectContext(parent: coordinator)
    let texts = [
      "=HYPERLINK(A1)", "+1+cmd", "-1-1", "@sum", "\t=1", "a=b", "-7", "'=1", "＝1+1", "",
    ]
    for (number, text) in texts.enumerated() {
      let sample = Sample(context: context)
      (sample.name, sample.count, sample.text) = ("formula \(number)", -number, text)
    }
    try context.save()
    func rows(_ options: String...) throws -> [String] {
      try ToolProcess.run(
        ["fetch", store, "Sample", "--where", "name BEGINSWITH 'formula'", "--sort", "-count"]
          + ["--columns", "count,text", "--format", "csv"] + options
      ).lines.dropFirst().map { String($0.drop { $0 != "," }.dropFirst()) }
    }
    #expect(try rows() == texts)
    let escaped = [
      "'=HYPERLINK(A1)", "'+1+cmd", "'-1-1", "'@sum", "'\t=1", "a=b", "-7", "'=1", "'＝1+1", "",
    ]
    #expect(try rows("--escape-formulas") == escaped)
    let counts = try ToolProcess.run(
      "fetch", store, "Sample", "--where", "count = -3", "--columns", "count", "--format", "csv",
      "--escape-formulas")
    #expect(counts.lines == ["count", "-3"])
  }

  @Test func `prints valid JSON with the types of values`() throws {
    let outcome = try ToolProcess.run("fetch", store, "Sample", "--json", "--sort", "count")
    let rows = try outcome.jsonLines()
    #expect(rows.map { $0["name"] as? String } == ["one", "two", "three"])
    #expect(rows[0]["count"] as? Int == 1)
    #expect(rows[0]["date"] as? String == "2023-11-14T22:13:20.250Z")
    #expect(rows[0]["data"] as? String == "AQID")
    #expect((rows[0]["spot"] as? [String: Any])?["label"] as? String == "here")
    #expect((rows[0]["wearer"] as? String)?.hasPrefix("Label/") == true)
    #expect(rows[1]["text"] is NSNull)
    #expect(rows[2]["text"] as? String == "\u{1B}]0;title\u{7}\u{1B}[2J\u{9B}31m\u{202E}abc")
  }

  @Test(arguments: ["table", "csv", "json"])
  func `lets no escape sequence of a value reach a terminal`(format: String) throws {
    let outcome = try ToolProcess.run(
      "fetch", store, "Sample", "--format", format, onTerminal: true)
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("title"))
    let unsafe = outcome.output.unicodeScalars.filter {
      ($0.value < 0x20 && $0 != "\n" && $0 != "\r") || 0x7F...0x9F ~= $0.value
        || $0.value == 0x202E
    }
    #expect(unsafe.isEmpty, "\(unsafe.map { String($0.value, radix: 16) })")
  }

  @Test func `prints a table whose columns are as wide as their values`() throws {
    let outcome = try ToolProcess.run(
      "fetch", store, "Sample", "--columns", "name,count", "--sort", "name")
    #expect(outcome.output == "name   count\none        1\nthree      3\ntwo        2\n")
  }

  @Test func `skips and limits`() throws {
    let outcome = try ToolProcess.run(
      "fetch", store, "Sample", "--sort", "count", "--offset", "1", "--limit", "1", "--columns",
      "name", "--format", "csv")
    #expect(outcome.output == "name\ntwo\n")
  }

  @Test func `sorts by several keys, through a relationship too`() throws {
    let outcome = try ToolProcess.run(
      "fetch", store, "Sample", "--sort", "wearer.title,-count", "--columns", "name", "--format",
      "csv")
    #expect(outcome.output == "name\nthree\ntwo\none\n")
  }

  @Test func `names the entities that there are`() throws {
    let outcome = try ToolProcess.run("fetch", store, "Sampel")
    #expect(outcome.exitCode == 64)
    #expect(outcome.errors.contains("no entity Sampel") && outcome.errors.contains("RareSample"))
    #expect(outcome.bytes.isEmpty)
  }

  @Test(arguments: [
    ["--where", "count >"], ["--where", "nothing = 1"], ["--where", "count = 'two'"],
    ["--sort", "nothing"], ["--columns", "nothing"], ["--columns", "name,"], ["--limit", "-1"],
    ["--limit", "many"], ["--json", "--format", "csv"], ["--where", "blob = 1"],
    ["--escape-formulas"], ["--json", "--escape-formulas"],
  ])
  func `refuses a wrong request without output`(arguments: [String]) throws {
    let outcome = try ToolProcess.run(["fetch", store, "Sample"] + arguments)
    #expect(outcome.exitCode == 64, "\(arguments): \(outcome.output)")
    #expect(outcome.bytes.isEmpty && !outcome.errors.isEmpty)
  }

  @Test func `explains a fetch in words and in JSON`() throws {
    let words = try ToolProcess.run(
      "explain", store, "Sample", "--where", "text BEGINSWITH 'say'")
    #expect(words.output.contains("index: text (prefix)"))
    let json = try ToolProcess.run(
      "explain", store, "Sample", "--where", "text BEGINSWITH 'say'", "--json"
    ).json()
    #expect(json["rowsReturned"] as? Int == 1)
  }

  @Test func `reads beside a running writer process`() throws {
    let url = folder.file("ledger.strata")
    let writer = try RunningWriter(storeAt: url)
    defer { writer.kill() }
    let first = try writer.waitForSave(after: 0)
    for _ in 0..<5 {
      let outcome = try ToolProcess.run(
        "fetch", url.path, "Sheet", "--sort", "-sequence", "--columns", "sequence,lines.@count",
        "--json")
      #expect(outcome.exitCode == 0, "\(outcome.errors)")
      let rows = try outcome.jsonLines()
      let latest = try #require(rows.first?["sequence"] as? Int)
      #expect(latest >= first)
      // Each save has all of its lines, and sheets without gaps: one state of the store.
      let sequences = rows.compactMap { $0["sequence"] as? Int }
      #expect(sequences == (1...latest).suffix(rows.count).reversed())
    }
    let later = try writer.waitForSave(after: first)
    #expect(later > first, "the writer saves while others read")
  }
}
