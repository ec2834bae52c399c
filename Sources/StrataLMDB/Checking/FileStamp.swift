// SPDX-License-Identifier: Apache-2.0
import CStrata
import StrataPrimitives

/// The state of a file that was known to be sound: its number, its length, the time of its last
/// change, and the start of the machine. As long as they are the same, nothing has written to it.
///
/// The stamp of a sound file is noted beside the file (`FileNote`), where copies of
/// the file do not have it. A file with its stamp is not read as a whole when it is opened.
struct FileStamp: Equatable, Sendable {
  private static let form: UInt64 = 1

  private let words: [UInt64]

  /// - Returns: nil if the file cannot be asked.
  init?(of file: Int32) {
    var status = stat()
    guard fstat(file, &status) == 0 else { return nil }
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    words = [
      Self.form, UInt64(truncatingIfNeeded: status.st_ino),
      UInt64(truncatingIfNeeded: status.st_size), UInt64(truncatingIfNeeded: time.tv_sec),
      UInt64(truncatingIfNeeded: time.tv_nsec), Self.start.0, Self.start.1,
    ]
  }

  var isOfEmptyFile: Bool { words[2] == 0 }

  /// Whether this stamp is noted beside the file.
  func isNoted(beside file: Int32) -> Bool {
    FileNote.words(beside: file, count: words.count) == words
  }

  /// Notes the stamp beside the file. Where the file system has no such notes, the file is read as
  /// a whole at its next opening.
  func note(beside file: Int32) { FileNote.setWords(words, beside: file) }

  /// Names the start of the machine; zeros where it has no name.
  private static let start: (UInt64, UInt64) = {
    #if os(Linux)
      let file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
      guard file >= 0 else { return (0, 0) }
      defer { close(file) }
      var text = [UInt8](repeating: 0, count: 36)
      guard read(file, &text, text.count) == text.count else { return (0, 0) }
      let halves = (text[..<18], text[18...])
      func word(_ half: ArraySlice<UInt8>) -> UInt64 {
        half.withUnsafeBytes { bytes in
          guard let start = bytes.baseAddress else { return 0 }
          return strata_digest(start, bytes.count)
        }
      }
      return (word(halves.0), word(halves.1))
    #else
      return (0, 0)
    #endif
  }()
}

extension Environment {
  /// Remembers the stamp of the file after a commit.
  func takeStamp() {
    guard options.keepsName else { return }
    let stamp = FileStamp(of: file)
    lastStamp.withLock { $0 = stamp }
  }

  /// Notes beside the file that it is sound, when it is closed after commits of this process. If
  /// anything else has written to the file since the last one, the file is checked at its next
  /// opening.
  func noteSoundFile() {
    guard let last = lastStamp.withLock({ $0 }), FileStamp(of: file) == last else { return }
    last.note(beside: file)
  }
}
