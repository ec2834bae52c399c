// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation

/// The ratios of one run as a picture.
struct Plot: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Draws each workload's ratios to raw LMDB as SVG.",
    discussion: """
      Takes the files that --json has written at one scale. A row is a workload; a mark is a peer, \
      and the upright line in a row is Strata's target.
      """)

  @Argument(help: "Files of figures, all of one scale.", completion: .file())
  var files: [String]

  @Option(help: "The file to write.", completion: .file(extensions: ["svg"]))
  var output = "ratios.svg"

  func run() throws {
    let rows = try FigureRow.read(files)
    guard let scale = rows.first?.scale, rows.allSatisfy({ $0.scale == scale }) else {
      throw ValidationError("figures of one scale are needed")
    }
    let workloads = Workload.all.compactMap { workload in
      RatioPlot.Row(workload, rows)
    }
    guard !workloads.isEmpty else {
      throw ValidationError("no workload has a ratio to LMDB: was lmdb among the peers?")
    }
    let plot = RatioPlot(scale: scale, rows: workloads)
    try Data(plot.svg.utf8).write(to: URL(fileURLWithPath: output))
  }
}
