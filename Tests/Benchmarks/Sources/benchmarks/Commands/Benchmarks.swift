// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

/// The program: one piece of work that another process has ordered, or the command.
@main enum Program {
  static func main() throws {
    if try ProcessWork.runIfAsked() { return }
    Benchmarks.main()
  }
}

/// The benchmarks' command: measures, or shows earlier measurements.
struct Benchmarks: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "benchmarks",
    abstract: "Measures Strata beside raw LMDB, raw SQLite and GRDB, in one run.",
    subcommands: [Measure.self, Growth.self, Plot.self, Document.self],
    defaultSubcommand: Measure.self)
}
