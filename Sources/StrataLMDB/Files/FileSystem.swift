// SPDX-License-Identifier: Apache-2.0
import CStrataLMDB  // statfs
import StrataPrimitives

/// The file systems that LMDB does not work on.
///
/// lmdb.h: "Do not use LMDB databases on remote filesystems, even between processes on the same
/// host. This breaks flock() on some OSes, possibly memory map sync, and certainly sync between
/// programs on different hosts."
package enum FileSystem {
  /// - Throws: `unsupportedFileSystem` when the folder of `path` is on one of them. An unknown one
  ///   (no /proc, an overlay) passes.
  package static func check(_ path: String) throws(LMDBError) {
    #if os(Linux)
      let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
      if !isKnown(folder), let name = name(of: folder), isUnsupported(name) {
        throw .unsupportedFileSystem(name: name)
      }
    #endif
  }

  /// Whether the file at `path` is on a medium that is mounted read-only.
  static func isReadOnly(_ path: String) -> Bool {
    var information = statvfs()
    return statvfs(path, &information) == 0
      && UInt(information.f_flag) & UInt(bitPattern: Int(ST_RDONLY)) != 0
  }

  /// Whether `name` (as in /proc/self/mountinfo: nfs4, fuse.sshfs) is one of them.
  package static func isUnsupported(_ name: String) -> Bool {
    let family = name.prefix { $0 != "." }
    return ["nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "fuse", "fuseblk", "virtiofs", "afs"]
      .contains(String(family))
  }

  /// Whether `type` (statfs: f_type) is the number of a local file system. Others may be local too:
  /// their names decide.
  package static func isKnownToBeLocal(type: UInt32) -> Bool {
    switch type {
    // linux/magic.h: ext2 to ext4, xfs, btrfs, tmpfs, overlay, f2fs.
    case 0xEF53, 0x5846_5342, 0x9123_683E, 0x0102_1994, 0x794C_7630, 0xF2F5_2010: true
    // zfs: ZFS_SUPER_MAGIC.
    case 0x2FC1_2FC1: true
    default: false
    }
  }

  #if os(Linux)
    /// Whether the number of the folder's file system is a local one's. The kernel needs some time
    /// to write mountinfo, and opening a store would need to read it.
    private static func isKnown(_ folder: String) -> Bool {
      var information = statfs()
      return statfs(folder, &information) == 0
        && isKnownToBeLocal(type: UInt32(truncatingIfNeeded: information.f_type))
    }

    /// The kernel's name of the file system, from the line of mountinfo with the same device:
    /// `36 35 98:0 / /mnt rw,noatime master:1 - ext4 /dev/root rw`.
    private static func name(of folder: String) -> String? {
      var information = stat()
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
