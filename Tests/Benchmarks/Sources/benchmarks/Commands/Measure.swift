// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import CMeasure
import Foundation

/// Runs workloads, and prints their results.
struct Measure: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Runs workloads; what happens if no command is named.",
    discussion: """
      Every peer does the same work on the same data with the same indexes and durability, and \
      must read the same: a checksum that differs is an error. Times are medians over the rounds; \
      ratios are taken to the time of raw LMDB or SQLite in the same round. Docs/Benchmarks.md has \
      each workload.
      """)

  @Option(help: "How many objects the workloads are about.")
  var scale = 100_000

  @Option(
    help: "Who runs, with commas between: \(Self.names(PeerKind.allCases.map(\.rawValue))).",
    transform: { try Self.list($0, "peer") { PeerKind(rawValue: $0) } })
  var peers = PeerKind.allCases

  @Option(
    help:
      "Which workloads, or figures, with commas between: \(Self.names(Workload.all.map(\.name))).",
    transform: { try Self.list($0, "workload") { Workload.of(figure: $0) } })
  var workloads = Workload.all

  @Option(help: "How many rounds; a figure is the median of them.")
  var rounds = 5

  @Option(help: "The only figure that callgrind counts, for profile.sh.")
  var count: String?

  @Option(help: "A file for the figures as JSON.", completion: .file())
  var json: String?

  @Option(
    help: "A folder on a real disk, for the stores; they are removed afterwards.",
    completion: .directory)
  var folder = FileManager.default.temporaryDirectory.path

  func validate() throws {
    guard (100...10_000_000).contains(scale) else {
      throw ValidationError("--scale is 100 to 10,000,000")
    }
    guard (1...1_000).contains(rounds) else { throw ValidationError("--rounds is 1 to 1,000") }
  }

  func run() throws {
    let present = peers.filter { kind in
      if kind.type == nil { print("\(kind.rawValue) is skipped: \(kind.absence)") }
      return kind.type != nil
    }
    guard !present.isEmpty else { throw ValidationError("no peer is left to run") }
    let extra = 2 * Workload.savesCount
    let people = People(scale: scale, extra: extra)
    // The order of running is the order of `Workload.all`: some change the data that others read.
    let names = Set(workloads.map(\.name))
    let ordered = Workload.all.filter { names.contains($0.name) }
    let start = measure_wall()
    let results = try Runner(
      people: people, extraSerials: scale + 1...scale + extra, peers: present, workloads: ordered,
      rounds: rounds, counted: count, parent: URL(fileURLWithPath: folder, isDirectory: true)
    ).run()
    let report = Report(results: results, scale: scale)
    let seconds = Double(measure_wall() - start) / 1e9
    print(
      "N = \(scale); medians of \(rounds) interleaved rounds; ratios within a round, of CPU times "
        + "but for those marked wall; " + String(format: "%.0f s in all", seconds))
    print("\n\(report.tables)")
    if let json { try FigureRow.write(report.rows, to: json) }
    guard results.mismatches.isEmpty else {
      for mismatch in results.mismatches { print("checksums differ: \(mismatch)") }
      throw ExitCode(1)
    }
    print("\nall peers have read the same")
  }

  private static func names(_ names: [String]) -> String {
    names.joined(separator: ",")
  }

  private static func list<Element>(
    _ text: String, _ kind: String, _ element: (String) -> Element?
  ) throws -> [Element] {
    try text.split(separator: ",").map { name in
      guard let found = element(String(name)) else {
        throw ValidationError("there is no \(kind) \(name)")
      }
      return found
    }
  }
}
