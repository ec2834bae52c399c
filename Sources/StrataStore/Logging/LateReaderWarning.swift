// SPDX-License-Identifier: Apache-2.0
import StrataLMDB

/// Warns of readers that hold an old state of a store, once for each.
enum LateReaderWarning {
  /// Logs a warning if the oldest reader is beyond the limits (`ReaderWatch.Limits`). Called by the
  /// writer after each commit.
  static func logIfDue(_ environment: Environment) {
    if let reader = environment.lateReader {
      StrataLog.log(message(of: reader, path: environment.path))
    }
  }

  private static func message(of reader: OldestReader, path: String) -> StrataLog.Message {
    let seconds = reader.age.components.seconds
    var metadata = [
      "store": path, "process": "\(reader.processID)", "commits": "\(reader.commitLag)",
      "seconds": "\(seconds)",
    ]
    metadata["holder"] = reader.holder
    return StrataLog.Message(
      .warning,
      "A reader has held one state of the store for at least \(seconds) seconds and "
        + "\(reader.commitLag) commits. The file grows until it lets go, because space that saves "
        + "free is not used again. Release query generations and their tokens, and end long turns.",
      metadata: metadata)
  }
}
