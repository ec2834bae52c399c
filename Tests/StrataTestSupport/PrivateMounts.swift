// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
  import Foundation

  /// File systems that only the calling thread sees, and the threads that it starts: mounts in a
  /// namespace of their own. They go with the process, so use them in an exit test.
  public struct PrivateMounts {
    /// Whether the process may make them. Root in a container often may not.
    public static let arePossible: Bool = {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments = ["-c", "unshare --mount mount -t tmpfs none /tmp"]
      (process.standardOutput, process.standardError) = (nil, nil)
      guard (try? process.run()) != nil else { return false }
      process.waitUntilExit()
      return process.terminationStatus == 0
    }()

    public init() throws {
      guard let unshare: Unshare = Self.function("unshare"), unshare(Self.newMounts) == 0 else {
        throw POSIXError(.EPERM)
      }
      // Otherwise the mounts would be seen outside too.
      try Self.mount("none", at: "/", Self.isRecursive | Self.isPrivate)
    }

    /// Mounts an empty file system in memory at a folder.
    public func mountMemory(at path: String) throws {
      try Self.mount("none", at: path, type: "tmpfs", 0)
    }

    /// Makes the file system at a folder read-only.
    public func makeReadOnly(_ path: String) throws {
      try Self.mount("none", at: path, Self.isRemount | Self.isReadOnly)
    }

    /// Shows a folder at another one, read-only there.
    public func show(_ path: String, readOnlyAt other: String) throws {
      try Self.mount(path, at: other, Self.isBind)
      try Self.mount("none", at: other, Self.isRemount | Self.isBind | Self.isReadOnly)
    }

    // linux/mount.h and sched.h, whose functions Swift does not import.

    private typealias Unshare = @convention(c) (CInt) -> CInt
    private typealias Mount =
      @convention(c) (
        UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafePointer<CChar>?, CUnsignedLong,
        UnsafeRawPointer?
      ) -> CInt

    private static let newMounts: CInt = 0x2_0000
    private static let isReadOnly: CUnsignedLong = 1
    private static let isRemount: CUnsignedLong = 32
    private static let isBind: CUnsignedLong = 4_096
    private static let isRecursive: CUnsignedLong = 16_384
    private static let isPrivate: CUnsignedLong = 1 << 18

    private static func mount(
      _ source: String, at path: String, type: String? = nil, _ flags: CUnsignedLong
    ) throws {
      guard let mount: Mount = function("mount") else { throw POSIXError(.ENOSYS) }
      let code =
        if let type {
          mount(source, path, type, flags, nil)
        } else {
          mount(source, path, nil, flags, nil)
        }
      if code != 0 { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EPERM) }
    }

    private static func function<Function>(_ name: String) -> Function? {
      // Safety: the functions have these types on Linux.
      dlsym(nil, name).map { unsafeBitCast($0, to: Function.self) }
    }
  }

  /// Makes the process one that may not write everywhere, if it is root's. For an exit test.
  public func giveUpRootsRights() throws {
    if geteuid() != 0 { return }
    let nobody: uid_t = 65_534
    guard setegid(nobody) == 0, seteuid(nobody) == 0 else { throw POSIXError(.EPERM) }
  }
#endif
