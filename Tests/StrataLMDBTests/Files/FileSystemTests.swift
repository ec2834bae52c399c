// SPDX-License-Identifier: Apache-2.0
import StrataLMDB
import Testing

@Suite struct `A file system` {
  @Test(arguments: ["nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs", "fuseblk", "virtiofs"])
  func `that is remote or in user space is refused`(name: String) {
    #expect(FileSystem.isUnsupported(name))
  }

  @Test(arguments: ["ext4", "xfs", "btrfs", "tmpfs", "overlay", "zfs", "f2fs", "apfs"])
  func `that is local is taken`(name: String) {
    #expect(!FileSystem.isUnsupported(name))
  }

  @Test(arguments: [0xEF53, 0x5846_5342, 0x9123_683E, 0x0102_1994, 0x794C_7630] as [UInt32])
  func `that is local is known by its number`(type: UInt32) {
    #expect(FileSystem.isKnownToBeLocal(type: type))
  }

  /// nfs, smb, cifs, smb2, fuse, 9p, afs, ceph.
  @Test(
    arguments: [
      0x6969, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x6573_5546, 0x0102_1997, 0x5346_414F, 0x00C3_6400,
    ] as [UInt32])
  func `that is remote or in user space is not known by its number`(type: UInt32) {
    #expect(!FileSystem.isKnownToBeLocal(type: type))
  }

  @Test func `is not found out for a path that is nowhere`() throws {
    try FileSystem.check("/no/such/folder/store")
  }
}
