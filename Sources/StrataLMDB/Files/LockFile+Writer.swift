// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives

// LMDB's lock of writers is a robust mutex in the lock file. The kernel releases such a mutex when
// its owner dies, so its word has the owner's thread (Linux: robust-futex-ABI). Nothing is written
// to know the owner, and no commit takes longer.

extension LockFile {
  /// The process that has the lock of writers.
  enum Writer {
    case none
    case process(Int32)
    /// The system does not say, or the process is in another container.
    case unknown
  }

  /// The process that has the lock of writers now. Some system calls.
  var writer: Writer {
    #if canImport(Glibc)
      var head = Head()
      let count = withUnsafeMutableBytes(of: &head) {
        pread(openDescriptor, $0.baseAddress, $0.count, 0)
      }
      guard count == MemoryLayout<Head>.size, head.magic == Head.magic, head.format == Head.format
      else { return .unknown }
      var mutex = pthread_mutex_t()
      let mutexCount = withUnsafeMutableBytes(of: &mutex) {
        pread(openDescriptor, $0.baseAddress, $0.count, Head.writerOffset)
      }
      guard mutexCount == MemoryLayout<pthread_mutex_t>.size else { return .unknown }
      let thread = UInt32(bitPattern: mutex.__data.__lock) & Self.threadMask
      if thread == 0 { return .none }
      guard let process = Self.process(ofThread: thread), isUser(process) else { return .unknown }
      return .process(process)
    #else
      return .unknown
    #endif
  }

  #if canImport(Glibc)
    /// The beginning of the lock file (mdb.c: `MDB_txninfo`), before the lock of writers.
    private struct Head {
      var magic: UInt32 = 0
      var format: UInt32 = 0
      var readersMutex = pthread_mutex_t()
      var lastTransaction: UInt = 0
      var readerCount: UInt32 = 0

      static var magic: UInt32 { 0xBEEF_C0DE }
      /// Version 1, with a lock for each process.
      static var format: UInt32 { 0x1_0001 }
      /// In the next line of the cache, of 64 bytes.
      static var writerOffset: Int { (MemoryLayout<Head>.stride + 63) & ~63 }
    }

    /// FUTEX_TID_MASK.
    private static var threadMask: UInt32 { 0x3FFF_FFFF }

    private static func process(ofThread thread: UInt32) -> Int32? {
      guard let file = fopen("/proc/\(thread)/status", "re") else { return nil }
      defer { fclose(file) }
      var line = [CChar](repeating: 0, count: 256)
      while fgets(&line, Int32(line.count), file) != nil {
        let words = line.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
          .split { $0 == "\t" || $0 == "\n" }
        if words.first == "Tgid:", words.count == 2 { return Int32(words[1]) }
      }
      return nil
    }

    /// Whether LMDB has locked a process's byte: a number of another container is not a process
    /// here.
    private func isUser(_ process: Int32) -> Bool {
      if process == getpid() { return true }
      var lock = flock()
      lock.l_type = Int16(F_WRLCK)
      lock.l_whence = Int16(SEEK_SET)
      lock.l_start = off_t(process)
      lock.l_len = 1
      return fcntl(openDescriptor, F_GETLK, &lock) == 0
        && lock.l_type != Int16(F_UNLCK) && lock.l_pid == process
    }
  #endif
}
