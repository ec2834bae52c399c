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

  @Test func `is not found out for a path that is nowhere`() throws {
    try FileSystem.check("/no/such/folder/store")
  }
}
