// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation

/// Writes figures into a document.
struct Document: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes the tables of figures into Docs/Benchmarks.md.",
    discussion: """
      Takes the files that --json has written, one for each scale, and replaces the lines between \
      the document's two markers, `<!-- figures -->` and `<!-- end of figures -->`.
      """)

  @Argument(help: "Files of figures.", completion: .file())
  var files: [String]

  @Option(help: "The document.", completion: .file(extensions: ["md"]))
  var document: String

  @Option(
    help: "Counted instructions: lines of figure, peer, scale and instructions per operation.",
    completion: .file())
  var instructions: String?

  private static let begin = "<!-- figures -->", end = "<!-- end of figures -->"

  func run() throws {
    let rows = try FigureRow.read(files)
    let counts = try instructions.map { try InstructionCount.read($0) } ?? []
    var lines: [String] = []
    for scale in Set(rows.map(\.scale)).sorted() {
      let table = FigureTable(rows: rows.filter { $0.scale == scale })
      let counted = counts.filter { $0.peer == PeerKind.strata.rawValue }
      lines += ["### N = \(grouped(Double(scale)))", ""]
      lines += table.comparison(
        instructions: Dictionary(counted.map { ($0.figure, $0.count) }) { _, last in last })
      lines += ["", "Wall time and CPU time, in nanoseconds per operation:", ""] + table.clocks
      lines.append("")
    }
    if !counts.isEmpty {
      lines += ["### Instructions per operation", ""] + InstructionCount.table(counts) + [""]
    }
    let old = try String(contentsOfFile: document, encoding: .utf8)
    guard let begin = old.range(of: Self.begin), let end = old.range(of: Self.end),
      begin.upperBound <= end.lowerBound
    else { throw ValidationError("\(document) has no \(Self.begin) before an \(Self.end)") }
    let new =
      old[..<begin.upperBound] + "\n\n" + lines.joined(separator: "\n") + "\n"
      + old[end.lowerBound...]
    try new.write(toFile: document, atomically: true, encoding: .utf8)
  }
}
