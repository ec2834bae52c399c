// SPDX-License-Identifier: Apache-2.0
import CStrata

/// The note that Strata keeps beside a file's bytes: an extended attribute, which copies of the
/// file do not have. It is numbers, of which the first tells the kind: `FileStamp` or
/// `FailedHeader`.
enum FileNote {
  /// - Returns: nil without a note of that many numbers.
  static func words(beside file: Int32, count: Int) -> [UInt64]? {
    var words = [UInt64](repeating: 0, count: count + 1)
    let byteCount = words.withUnsafeMutableBytes { bytes -> Int in
      guard let start = bytes.baseAddress else { return -1 }
      return strata_read_file_note(file, start, bytes.count)
    }
    return byteCount == 8 * count ? Array(words.dropLast()) : nil
  }

  /// Sets the note. Where the file system has no such notes, the file is as one without a note.
  static func setWords(_ words: [UInt64], beside file: Int32) {
    words.withUnsafeBytes { bytes in
      if let start = bytes.baseAddress {
        _ = strata_write_file_note(file, start, bytes.count)
      }
    }
  }
}
