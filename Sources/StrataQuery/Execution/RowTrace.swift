// SPDX-License-Identifier: Apache-2.0

/// Records how the objects of rows were found, for an explanation. Other requests for rows have no
/// trace.
///
/// ## Isolation
/// It belongs to one fetch.
final class RowTrace {
  private(set) var step = QueryExplanation.Step(.records, "none", .skipped, inputs: [])
  private(set) var reads = ReadCount()

  /// Records the last step of an attempt. If it was given up, the next one takes its place.
  func end(_ step: QueryExplanation.Step, _ reads: ReadCount) {
    self.step = step
    self.reads = self.reads + reads
  }
}
