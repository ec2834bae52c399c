// SPDX-License-Identifier: Apache-2.0
import CMeasure

/// The result of one run of a workload.
struct Figure {
  /// As in PERFORMANCE.md's table; a workload that has several figures adds a slash and which.
  var workload: String
  /// Nanoseconds of wall time, and of all threads' CPU time, per operation; nil for a size.
  var nanoseconds: Double?
  var cpuNanoseconds: Double?
  /// Bytes per object; nil for a time.
  var bytes: Double?
  /// How much more memory was resident at the most than before, in bytes; mapped files count.
  var peakBytes: UInt64?
  /// The checksum on which all peers must agree; nil if there is nothing to compare.
  var checksum: UInt64?
  /// Facts beside the figures, in words.
  var notes: [String] = []
}

extension Workload.Setting {
  /// Runs work once and measures its time, its CPU time and its memory.
  ///
  /// Before the first round free memory is given back to the system, so that the growth is all of
  /// it. Not in the other rounds: pages that are touched for the first time cost time.
  ///
  /// - Parameters:
  ///   - operations: the number of operations in `work`.
  ///   - work: returns a function that computes the checksum, which is not measured.
  func measure(
    _ workload: String, operations: Int, _ work: () throws -> () throws -> UInt64
  ) throws -> Figure {
    measure_reset_peak(round == 1)
    let resident = measure_resident()
    let (wall, cpu) = (measure_wall(), measure_cpu())
    if isRecorded { measure_instrument(true) }
    let checksum = try work()
    if isRecorded { measure_instrument(false) }
    let (wallEnd, cpuEnd) = (measure_wall(), measure_cpu())
    let peak = measure_peak()
    return Figure(
      workload: workload, nanoseconds: Double(wallEnd - wall) / Double(operations),
      cpuNanoseconds: Double(cpuEnd - cpu) / Double(operations),
      peakBytes: peak > resident ? peak - resident : 0, checksum: try checksum())
  }
}
