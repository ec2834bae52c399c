// SPDX-License-Identifier: Apache-2.0

/// A mistake in the layers that know no schema, which a test plants on purpose to show that a
/// harness finds it. Each is at the place where an obvious variant of the code would make it.
///
/// The environment variable `STRATA_STORAGE_FAULT` plants one for the whole process, and for the
/// processes that it starts. A process with other tests therefore never has one. In release builds
/// none can be planted, and the check costs nothing.
package enum StorageFault: String, Sendable, CaseIterable {
  /// A record is read without a look at its checksum.
  case recordUnchecked
  /// The seal covers only records: it leaves out the entries of indexes and links.
  case entriesUnsealed
  /// The content of a file is not compared with the seal when the file is opened.
  case sealUnchecked
  /// The check of a page takes any `upper`.
  case upperUnchecked
  /// A commit returns before its data is on the disk.
  case commitUnsynced
  /// A file that was written whole gets its name without a sync of its data.
  case copyUnsynced
  /// A change of names is not synced.
  case folderUnsynced
  /// A file gets its name before it is written.
  case namedTooEarly

  /// The environment variable that names the planted fault.
  package static let variable = "STRATA_STORAGE_FAULT"

  #if DEBUG
    private static let planted: StorageFault? = {
      guard let name = getenv(variable).map({ String(cString: $0) }), !name.isEmpty else {
        return nil
      }
      guard let fault = StorageFault(rawValue: name) else {
        stopProgram("\(variable) names no fault: \(name)")
      }
      return fault
    }()

    /// Whether the fault is planted.
    package var isPlanted: Bool { Self.planted == self }
  #else
    @inlinable package var isPlanted: Bool { false }
  #endif
}
