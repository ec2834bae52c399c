// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata

/// Nothing gets slower or larger by being used: does all operations in turn, in many rounds.
/// Compares the last tenth of the rounds with the first one. The CPU time of each operation may
/// grow by 30 %, memory by a tenth and 8 MiB, and the file by a tenth.
///
///     Soak <empty folder> [rounds]
///
/// Without a number it does 200,000 rounds. Its exit code is 1 if something has grown.
@main enum Soak {
  /// Before the first tenth: they fill caches and pools.
  private static let warmUpCount = 1_000

  @MainActor static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 2 || arguments.count == 3,
      let roundCount = arguments.count == 3 ? Int(arguments[2]) : 200_000, roundCount >= 10
    else {
      print("usage: Soak <empty folder> [rounds, 10 at least]")
      exit(64)
    }
    let world = try await SoakWorld(in: URL(fileURLWithPath: arguments[1]))
    let tenth = roundCount / 10
    for round in 0..<warmUpCount {
      for operation in SoakOperation.all { try operation.run(world, round) }
    }
    let first = try measure(0..<tenth, in: world)
    let sizeBefore = Size(of: world.file)
    for round in tenth..<9 * tenth {
      for operation in SoakOperation.all { try operation.run(world, round) }
    }
    let last = try measure(9 * tenth..<10 * tenth, in: world)
    let size = Size(of: world.file)

    var hasGrown = false
    func compare(_ name: String, _ before: Int, _ after: Int, limit: Int, _ unit: String) {
      let verdict = after > limit ? "GREW" : "ok"
      if after > limit { hasGrown = true }
      print("\(name): \(before) \(unit) at first, \(after) \(unit) at last, \(verdict)")
    }
    for (number, operation) in SoakOperation.all.enumerated() {
      let (before, after) = (first[number] / tenth, last[number] / tenth)
      compare(operation.name, before, after, limit: before * 13 / 10, "ns")
    }
    compare(
      "memory", sizeBefore.memory, size.memory, limit: sizeBefore.memory * 11 / 10 + 8_192, "KiB")
    compare("file", sizeBefore.file, size.file, limit: sizeBefore.file * 11 / 10, "KiB")
    exit(hasGrown ? 1 : 0)
  }

  /// - Returns: the CPU time of each operation, in nanoseconds, of all threads of the process.
  @MainActor private static func measure(
    _ rounds: Range<Int>, in world: SoakWorld
  ) throws -> [Int] {
    var times = [Int](repeating: 0, count: SoakOperation.all.count)
    for round in rounds {
      var before = cpuTime()
      for (number, operation) in SoakOperation.all.enumerated() {
        try operation.run(world, round)
        let after = cpuTime()
        times[number] += after - before
        before = after
      }
    }
    return times
  }

  private static func cpuTime() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
  }

  /// In KiB.
  private struct Size {
    /// The memory of the process that no file has; 0 where the system does not say.
    let memory: Int
    let file: Int

    init(of file: URL) {
      let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
      let line = text.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
      memory = line.flatMap { $0.split(separator: " ").dropLast().last }.flatMap { Int($0) } ?? 0
      let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
      self.file = (attributes?[.size] as? Int ?? 0) / 1_024
    }
  }
}
