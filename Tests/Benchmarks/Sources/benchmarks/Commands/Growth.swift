// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation

/// How the cost of an operation grows with the store.
struct Growth: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Prints how figures grow from scale to scale.",
    discussion: """
      Takes the files that --json has written at several scales, and prints what Strata takes at \
      each, by how much it grows from the least scale to the greatest, and by how much raw LMDB in \
      C grows with the same work on the same machine.
      """)

  @Argument(help: "Files of figures, of at least two scales.", completion: .file())
  var files: [String]

  func run() throws {
    let rows = try FigureRow.read(files)
    let scales = Set(rows.map(\.scale)).sorted()
    guard let least = scales.first, let most = scales.last, least < most else {
      throw ValidationError("figures of at least two scales are needed")
    }
    var names: [String] = []
    for row in rows where row.peer == "strata" && !names.contains(row.workload) {
      names.append(row.workload)
    }

    func value(_ workload: String, _ peer: String, _ scale: Int) -> Double? {
      rows.last { $0.workload == workload && $0.peer == peer && $0.scale == scale }?
        .value(by: Workload.clock(of: workload))
    }
    func growth(_ workload: String, _ peer: String) -> String {
      guard let first = value(workload, peer, least), let last = value(workload, peer, most),
        first > 0
      else { return "" }
      return shortNumber((last / first * 100).rounded() / 100) + " ×"
    }

    let table = names.map { name in
      [name] + scales.map { scale in value(name, "strata", scale).map(grouped) ?? "" }
        + [growth(name, "strata"), growth(name, "lmdb")]
    }
    let logarithm = shortNumber((log(Double(most)) / log(Double(least)) * 100).rounded() / 100)
    print(
      markdownTable(
        [""] + scales.map { "N = " + grouped(Double($0)) } + ["growth", "LMDB C"], table
      ).joined(separator: "\n"))
    print("\nFrom \(least) to \(most) a logarithm grows \(logarithm) times.")
  }
}
