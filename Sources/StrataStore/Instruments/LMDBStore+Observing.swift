// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataLMDB

extension LMDBStore {
  /// The completion of a save that notes the commit first.
  func noting(
    _ instrument: any Instrument,
    _ completion: @escaping @Sendable (Result<CommitResult, any Error>) -> Void
  ) -> @Sendable (Result<CommitResult, any Error>) -> Void {
    let start = ContinuousClock.now
    return { [readGauges] result in
      var mergedCount = 0
      if case .success(let saved) = result, !saved.merged.isEmpty {
        // Derived values are merged without any conflict.
        mergedCount = saved.merged.count { saved.derived[$0.key] == nil }
      }
      instrument.note(
        .commit(
          ObservedCommit(
            kind: .save, duration: ContinuousClock.now - start, isRefused: result.isFailure,
            conflictCount: result.conflictCount, mergedCount: mergedCount,
            gauges: readGauges())))
      completion(result)
    }
  }

  /// The completion of a batch that notes the commit first.
  func noting(
    _ instrument: any Instrument,
    _ completion: @escaping @Sendable (Result<BatchOutcome, any Error>) -> Void
  ) -> @Sendable (Result<BatchOutcome, any Error>) -> Void {
    let start = ContinuousClock.now
    return { [readGauges] result in
      instrument.note(
        .commit(
          ObservedCommit(
            kind: .batch, duration: ContinuousClock.now - start, isRefused: result.isFailure,
            conflictCount: result.conflictCount, mergedCount: 0, gauges: readGauges())))
      completion(result)
    }
  }

  /// Reads the gauges in the job of a commit, which keeps the file open meanwhile.
  private var readGauges: @Sendable () -> StoreGauges? {
    let environment = try? openEnvironment()
    return { [weak environment] in
      environment.map { environment in
        StoreGauges(
          byteCount: environment.usedByteCount,
          oldestReader: environment.oldestReader.map(StoredReader.init))
      }
    }
  }
}

extension StoredReader {
  init(_ reader: OldestReader) {
    self.init(
      processID: reader.processID, commitLag: reader.commitLag, age: reader.age,
      holder: reader.holder)
  }
}

extension Result where Failure == any Error {
  fileprivate var isFailure: Bool {
    if case .failure = self { true } else { false }
  }

  fileprivate var conflictCount: Int {
    guard case .failure(StoreError.conflicts(let conflicts)) = self else { return 0 }
    return conflicts.count
  }
}
