// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataStore

/// Runs the reading of a file that may be damaged in a child process. LMDB follows the offsets of a
/// damaged page, and may end its process with a signal; the parent then says so.
///
/// The child is this program with the same arguments and streams, and with a variable in its
/// environment.
enum ReaderProcess {
  private static let variable = "STRATA_TOOL_READER"

  /// The result of `body`, in the child. The parent ends with the exit code of the child.
  ///
  /// - Throws: `ToolError.readerCrashed` in the parent; the errors of `body` in the child.
  static func run<Result>(_ body: () throws -> Result) throws -> Result {
    if getenv(variable) != nil {
      StoreFiles.leaveOutCheckOfFiles()
      return try body()
    }
    setenv(variable, "1", 1)
    var child: pid_t = 0
    let code = posix_spawn(
      &child, executablePath, nil, nil, CommandLine.unsafeArgv, environ)
    // Without a child, the file is read here.
    guard code == 0 else { return try body() }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0 && errno == EINTR {}
    let signal = status & 0x7F
    if signal == 0 { exit((status >> 8) & 0xFF) }
    guard [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE].contains(signal) else {
      // The user or the system has ended the child.
      Foundation.signal(signal, SIG_DFL)
      raise(signal)
      exit(128 + signal)
    }
    throw ToolError.readerCrashed(signal: signal)
  }

  private static var executablePath: String {
    #if os(Linux)
      "/proc/self/exe"
    #else
      Bundle.main.executablePath ?? CommandLine.arguments[0]
    #endif
  }
}
