// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives

/// The part of the mapped file that a long walk has read and will not read again.
///
/// Pages of the map that were read count as the process's memory until the system needs it for
/// something else. A walk over a million records would keep all their pages there; so now and then
/// it gives back those behind it. They stay in the system's cache of files, and reading them again
/// costs a soft page fault.
///
/// ## Isolation
/// One walk's.
package struct PassedPages {
  private var lower = UInt.max
  private var upper = UInt.min
  private var byteCount = 0

  /// The number of bytes to pass before their pages are given back.
  private static let byteCountMax = 4 << 20

  package init() {}

  /// Notes that an entry was passed.
  ///
  /// - Important: `bytes` are in the map: the entry of a read transaction's cursor.
  @inline(__always)
  package mutating func pass(_ bytes: UnsafeRawBufferPointer) {
    let start = UInt(bitPattern: bytes.baseAddress)
    lower = min(lower, start)
    upper = max(upper, start &+ UInt(bytes.count))
    byteCount &+= bytes.count
    if byteCount > Self.byteCountMax { giveBack() }
  }

  @inline(never)
  private mutating func giveBack() {
    let pageByteCount = UInt(max(sysconf(Int32(_SC_PAGESIZE)), 1))
    let first = lower / pageByteCount * pageByteCount
    // Safety: the map is one mapping, shared and read-only, so that all between two of its
    // addresses is of it, and giving pages back loses nothing. It is advice: that it was not taken
    // does no harm.
    if let start = UnsafeMutableRawPointer(bitPattern: first) {
      _ = madvise(start, Int(upper - first), MADV_DONTNEED)
    }
    self = PassedPages()
  }
}
