// SPDX-License-Identifier: Apache-2.0
import CStrata
import StrataPrimitives

/// The state of a file that was known to be sound: its device and number, its length, its last
/// commit, the time of its last change, and the start of the machine. As long as they are the same,
/// nothing has written to it.
///
/// The stamp of a sound file is noted beside the file (`FileNote`). A file with its stamp is not
/// read as a whole when it is opened, but before LMDB follows its pages (`Environment`).
///
/// A file that comes from elsewhere does not bring its stamp along, even if the stamp was copied or
/// forged. The note has the time at which it was made. The system sets the time of a file's last
/// change of any kind, and the note is such a change. The note counts if the two times are the same
/// within the grain of the system's clock. It does not count in a file of another user, because
/// that user could note it again until the times fit.
struct FileStamp: Equatable, Sendable {
  private static let form: UInt64 = 3

  private let words: [UInt64]

  /// - Parameter commit: the number of the file's last commit.
  /// - Returns: nil if the file cannot be asked.
  init?(of file: Int32, commit: UInt64) {
    var status = stat()
    guard fstat(file, &status) == 0 else { return nil }
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    words = [
      Self.form, commit, UInt64(truncatingIfNeeded: status.st_dev),
      UInt64(truncatingIfNeeded: status.st_ino), UInt64(truncatingIfNeeded: status.st_size),
      UInt64(truncatingIfNeeded: time.tv_sec), UInt64(truncatingIfNeeded: time.tv_nsec),
      Self.start.0, Self.start.1,
    ]
  }

  var commit: UInt64 { words[1] }

  /// Whether this stamp is noted beside the file, and was made here.
  func isNoted(beside file: Int32) -> Bool {
    guard let found = FileNote.words(beside: file, count: words.count + 1),
      found.dropLast().elementsEqual(words), let time = found.last
    else { return false }
    return Self.wasChanged(file, near: time)
  }

  /// Notes the stamp beside the file. Where the file system has no such notes, the file is read as
  /// a whole at its next opening.
  func note(beside file: Int32) {
    // A thread may sleep between the two times.
    for _ in 0..<3 {
      var now = timespec()
      clock_gettime(CLOCK_REALTIME, &now)
      let time = Self.nanoseconds(now)
      FileNote.setWords(words + [time], beside: file)
      if Self.wasChanged(file, near: time) { return }
    }
  }

  /// Whether the system says that the file, or a note beside it, was last changed at this time,
  /// and the file is this user's.
  private static func wasChanged(_ file: Int32, near time: UInt64) -> Bool {
    var status = stat()
    guard fstat(file, &status) == 0, status.st_uid == geteuid() else { return false }
    #if canImport(Darwin)
      let changed = nanoseconds(status.st_ctimespec)
    #else
      let changed = nanoseconds(status.st_ctim)
    #endif
    // The clock of files may be behind by a tick of the system's timer, 10 ms at most.
    return changed &- time &+ grain <= 2 * grain
  }

  private static var grain: UInt64 { 20_000_000 }

  private static func nanoseconds(_ time: timespec) -> UInt64 {
    UInt64(truncatingIfNeeded: time.tv_sec) &* 1_000_000_000
      &+ UInt64(truncatingIfNeeded: time.tv_nsec)
  }

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
  func takeStamp(ofCommit number: UInt64) {
    guard options.keepsName else { return }
    let stamp = FileStamp(of: file, commit: number)
    lastStamp.withLock { $0 = stamp }
  }

  /// Notes beside the file that it is sound, when it is closed after commits of this process. If
  /// anything else has written to the file since the last one, the file is checked at its next
  /// opening.
  func noteSoundFile() {
    guard let last = lastStamp.withLock({ $0 }),
      FileStamp(of: file, commit: last.commit) == last
    else { return }
    last.note(beside: file)
  }
}
