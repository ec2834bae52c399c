// SPDX-License-Identifier: Apache-2.0
import CMeasure

/// The result of one run of a workload.
struct Figure {
  /// As in the tables of Docs/Benchmarks.md; a workload that has several figures adds a slash and
  /// which.
  var workload: String
  /// Nanoseconds of wall time, and of all threads' CPU time, per operation; nil for a size.
  var nanoseconds: Double?
  var cpuNanoseconds: Double?
  /// Bytes per object; nil for a time.
  var bytes: Double?
  /// The largest growth of resident memory, in bytes; mapped files count.
  var peakBytes: UInt64?
  /// The checksum on which all peers must agree; nil if there is nothing to compare.
  var checksum: UInt64?
  /// Facts beside the figures, in words.
  var notes: [String] = []

  /// The figure less the time of the loop around its operations, measured alone.
  func without(_ loop: Figure) -> Figure {
    var rest = self
    if let all = nanoseconds, let loop = loop.nanoseconds { rest.nanoseconds = all - loop }
    if let all = cpuNanoseconds, let loop = loop.cpuNanoseconds { rest.cpuNanoseconds = all - loop }
    return rest
  }
}

/// How work is measured.
struct Measurement {
  /// Whether free memory is first given back to the system, so that the growth is all of the
  /// work's. Not for every time: pages that are touched for the first time cost time.
  var trims = false
  /// Whether callgrind counts the figure of this name; it counts no other.
  var isCounted: (String) -> Bool = { _ in true }

  /// Runs work once and measures its time, its CPU time and its memory.
  ///
  /// - Parameters:
  ///   - operations: the number of operations in `work`.
  ///   - work: returns a function that computes the checksum, which is not measured.
  func run(
    _ workload: String, operations: Int, _ work: () throws -> () throws -> UInt64
  ) throws -> Figure {
    measure_reset_peak(trims)
    let resident = measure_resident()
    let counts = isCounted(workload)
    let (wall, cpu) = (measure_wall(), measure_cpu())
    if counts { measure_instrument(true) }
    let checksum = try work()
    if counts { measure_instrument(false) }
    let (wallEnd, cpuEnd) = (measure_wall(), measure_cpu())
    let peak = measure_peak()
    if counts { measure_report(workload, operations) }
    return Figure(
      workload: workload, nanoseconds: Double(wallEnd - wall) / Double(operations),
      cpuNanoseconds: Double(cpuEnd - cpu) / Double(operations),
      peakBytes: peak > resident ? peak - resident : 0, checksum: try checksum())
  }
}

extension Workload.Setting {
  /// Runs work once and measures it; `Measurement` has the rest.
  func measure(
    _ workload: String, operations: Int, _ work: () throws -> () throws -> UInt64
  ) throws -> Figure {
    try Measurement(
      trims: round == 1,
      isCounted: { [isRecorded, counted] name in isRecorded && (counted == nil || counted == name) }
    ).run(workload, operations: operations, work)
  }
}
