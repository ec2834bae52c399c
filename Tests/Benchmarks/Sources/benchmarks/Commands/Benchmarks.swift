// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

/// The benchmarks' command: measures, or shows earlier measurements.
@main struct Benchmarks: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "benchmarks",
    abstract: "Measures Strata beside raw LMDB, raw SQLite and GRDB, in one run.",
    subcommands: [Measure.self, Growth.self, Plot.self], defaultSubcommand: Measure.self)
}
