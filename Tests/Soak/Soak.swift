// SPDX-License-Identifier: Apache-2.0
import Foundation
import SoakC
import Strata

/// Nothing gets slower or larger by being used: does all operations in turn, in many rounds.
/// Compares the last tenth of the rounds with the first one. The CPU time of each operation may
/// grow by 30 %, memory by a tenth and 8 MiB, what malloc has given out by 256 KiB, and the files
/// by a tenth. The exit code is 1 if something has grown.
///
///     Soak <empty folder> [rounds]
///
/// Without a number it does 200,000 rounds. The times of fewer than 100,000 are printed and not
/// compared: other work on the machine makes as much of a difference.
///
///     Soak operations
///     Soak <empty folder> <rounds> <operation>
///
/// The first names the operations. The second does one of them alone and looks at no clock.
/// Callgrind, if it runs the program with `--instr-atstart=no`, counts the instructions of the
/// second tenth of the rounds and of the last one, and writes a file for each.
@main enum Soak {
  /// Before the first tenth: they fill caches and pools.
  private static let warmUpCount = 1_000

  /// Of fewer rounds, times are not compared.
  private static let timedCountMin = 100_000

  @MainActor static func main() throws {
    let arguments = CommandLine.arguments
    if arguments.dropFirst() == ["operations"] {
      for operation in SoakOperation.all { print(operation.name) }
      return
    }
    guard (2...4).contains(arguments.count),
      let roundCount = arguments.count > 2 ? Int(arguments[2]) : 200_000, roundCount >= 10
    else {
      print("usage: Soak <empty folder> [rounds, 10 at least [operation]]\n       Soak operations")
      exit(64)
    }
    let folder = URL(fileURLWithPath: arguments[1])
    if arguments.count < 4 {
      return try doAll(roundCount, in: SoakWorld(in: folder), folder)
    }
    guard let operation = SoakOperation.all.first(where: { $0.name == arguments[3] }) else {
      print("No operation is called \(arguments[3]).")
      exit(64)
    }
    guard strata_soak_can_count() else {
      print("Run it under callgrind, and build it where valgrind/callgrind.h is.")
      exit(69)
    }
    try count(operation, roundCount, in: SoakWorld(in: folder))
  }

  // MARK: - One operation

  @MainActor private static func count(
    _ operation: SoakOperation, _ roundCount: Int, in world: SoakWorld
  ) throws {
    func run(_ rounds: Range<Int>) throws {
      for round in rounds {
        try operation.run(round, in: world)
        world.endTurns()
      }
    }
    func runCounted(_ rounds: Range<Int>) throws {
      strata_soak_begin_counting()
      try run(rounds)
      strata_soak_end_counting()
    }
    let tenth = roundCount / 10
    try run(0..<tenth)
    try runCounted(tenth..<2 * tenth)
    try run(2 * tenth..<9 * tenth)
    try runCounted(9 * tenth..<10 * tenth)
  }

  // MARK: - All operations

  @MainActor private static func doAll(
    _ roundCount: Int, in world: SoakWorld, _ folder: URL
  ) throws {
    func run(_ rounds: Range<Int>) throws {
      for round in rounds {
        for operation in SoakOperation.all { try operation.run(round, in: world) }
        world.endTurns()
      }
    }
    let tenth = roundCount / 10
    try run(0..<warmUpCount)
    let first = try measure(0..<tenth, in: world, folder)
    try run(tenth..<9 * tenth)
    let last = try measure(9 * tenth..<10 * tenth, in: world, folder)

    var hasGrown = false
    func compare(_ name: String, _ before: Int, _ after: Int, limit: Int?, _ unit: String) {
      var verdict = "not compared"
      if let limit { verdict = after > limit ? "GREW" : "ok" }
      if verdict == "GREW" { hasGrown = true }
      print("\(name): \(before) \(unit) at first, \(after) \(unit) at last, \(verdict)")
    }
    for (number, operation) in SoakOperation.all.enumerated() {
      let (before, after) = (first.times[number] / tenth, last.times[number] / tenth)
      compare(
        operation.name, before, after,
        limit: roundCount < timedCountMin ? nil : before * 13 / 10, "ns a round")
    }
    compare("memory", first.memory, last.memory, limit: first.memory * 11 / 10 + 8_192, "KiB")
    compare("malloc", first.live, last.live, limit: first.live + 256, "KiB")
    compare("files", first.files, last.files, limit: first.files * 11 / 10, "KiB")
    exit(hasGrown ? 1 : 0)
  }

  /// What some rounds have taken. Sizes are in KiB.
  private struct Measures {
    /// The CPU time of each operation, in nanoseconds, of all threads of the process.
    var times = [Int](repeating: 0, count: SoakOperation.all.count)
    /// The least that malloc had given out after a round; 0 where it does not say. Work that other
    /// threads have not done yet adds to it after some rounds.
    var live = Int.max
    /// The memory of the process that no file has, after the rounds; 0 where the system does not
    /// say.
    var memory = 0
    /// All files, after the rounds.
    var files = 0
  }

  @MainActor private static func measure(
    _ rounds: Range<Int>, in world: SoakWorld, _ folder: URL
  ) throws -> Measures {
    var measures = Measures()
    for round in rounds {
      var before = cpuTime()
      for (number, operation) in SoakOperation.all.enumerated() {
        try operation.run(round, in: world)
        let after = cpuTime()
        measures.times[number] += after - before
        before = after
      }
      world.endTurns()
      measures.live = min(measures.live, Int(strata_soak_live_byte_count() / 1_024))
    }
    measures.memory = anonymousSize()
    measures.files = try size(of: folder)
    return measures
  }

  private static func cpuTime() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
  }

  /// In KiB.
  private static func anonymousSize() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
    return line.flatMap { $0.split(separator: " ").dropLast().last }.flatMap { Int($0) } ?? 0
  }

  /// Of the files of a folder, in KiB.
  private static func size(of folder: URL) throws -> Int {
    try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: [.fileSizeKey]
    ).reduce(0) { $0 + (try $1.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0) } / 1_024
  }
}
