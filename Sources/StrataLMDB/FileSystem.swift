// SPDX-License-Identifier: Apache-2.0
#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The file systems that LMDB does not work on.
///
/// lmdb.h: "Do not use LMDB databases on remote filesystems, even between processes on the same
/// host. This breaks flock() on some OSes, possibly memory map sync, and certainly sync between
/// programs on different hosts."
package enum FileSystem {
  /// - Throws: `unsupportedFileSystem` when the folder of `path` lies on one of them. One that
  ///   cannot be told (no /proc, an overlay) passes.
  package static func check(_ path: String) throws(LMDBError) {
    #if os(Linux)
      if let name = name(ofFolderOf: path), isUnsupported(name) {
        throw .unsupportedFileSystem(name: name)
      }
    #endif
  }

  /// Whether `name` (as in /proc/self/mountinfo: nfs4, fuse.sshfs) is one of them.
  package static func isUnsupported(_ name: String) -> Bool {
    let family = name.prefix { $0 != "." }
    return ["nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "fuse", "fuseblk", "virtiofs", "afs"]
      .contains(String(family))
  }

  #if os(Linux)
    /// The kernel's name of the file system, from the line of mountinfo with the same device:
    /// `36 35 98:0 / /mnt rw,noatime master:1 - ext4 /dev/root rw`.
    private static func name(ofFolderOf path: String) -> String? {
      var information = stat()
      let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
      guard stat(folder, &information) == 0, let file = fopen("/proc/self/mountinfo", "re") else {
        return nil
      }
      defer { fclose(file) }
      let device = UInt64(information.st_dev)
      let major = (device >> 8) & 0xFFF | (device >> 32) & ~0xFFF
      let minor = device & 0xFF | (device >> 12) & 0xFFFF_FF00
      var line: UnsafeMutablePointer<CChar>?
      var capacity = 0
      defer { free(line) }
      while getline(&line, &capacity, file) > 0, let bytes = line {
        let fields = String(cString: bytes).split(separator: " ")
        guard fields.count > 6, fields[2] == "\(major):\(minor)" else { continue }
        guard let dash = fields[6...].firstIndex(of: "-"), dash + 1 < fields.endIndex else {
          continue
        }
        return String(fields[dash + 1])
      }
      return nil
    }
  #endif
}
