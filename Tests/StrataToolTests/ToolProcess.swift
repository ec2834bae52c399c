// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Runs the built `strata` and gathers what it says.
enum ToolProcess {
  /// Whether the tool was built with its parser of arguments.
  static var isThere: Bool {
    #if Tool
      true
    #else
      false
    #endif
  }

  /// The end of a run.
  struct Outcome {
    let exitCode: Int32
    /// The standard output, exactly.
    let bytes: Data
    let errors: String

    var output: String { String(decoding: bytes, as: UTF8.self) }
    var lines: [String] {
      output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init).dropLast()
    }

    /// The output as one JSON text.
    func json() throws -> [String: Any] {
      try JSONSerialization.jsonObject(with: bytes) as? [String: Any] ?? [:]
    }

    /// The output as one JSON text on each line.
    func jsonLines() throws -> [[String: Any]] {
      try lines.map {
        try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:]
      }
    }
  }

  /// Where the package manager put the products and this test.
  private static let products: URL = {
    #if os(macOS)
      let tests = Bundle.allBundles.first { $0.bundleURL.pathExtension == "xctest" } ?? .main
      return tests.bundleURL.deletingLastPathComponent()
    #else
      return Bundle.main.bundleURL
    #endif
  }()

  static func product(_ name: String) -> URL { products.appendingPathComponent(name) }

  /// - Parameters:
  ///   - arguments: behind the name of the tool.
  ///   - input: the file that is the standard input; nil for none.
  ///   - onTerminal: whether the standard output is a terminal.
  ///   - variables: of the environment, besides those of this process.
  static func run(
    _ arguments: String..., input: URL? = nil, onTerminal: Bool = false,
    variables: [String: String] = [:]
  ) throws -> Outcome {
    try run(arguments, input: input, onTerminal: onTerminal, variables: variables)
  }

  static func run(
    _ arguments: [String], input: URL? = nil, onTerminal: Bool = false,
    variables: [String: String] = [:]
  ) throws -> Outcome {
    let process = Process()
    process.executableURL = product("strata")
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["TERM": "xterm", "NO_COLOR": "1"]
    ) { $1 }.merging(variables) { $1 }
    process.standardInput = try input.map { try FileHandle(forReadingFrom: $0) } ?? .nullDevice
    let errors = Pipe()
    process.standardError = errors
    let terminal = onTerminal ? try Terminal() : nil
    let pipe = Pipe()
    process.standardOutput = terminal?.inner ?? pipe.fileHandleForWriting
    try process.run()
    try terminal?.inner.close()
    if terminal == nil { try pipe.fileHandleForWriting.close() }
    let output = terminal?.outer ?? pipe.fileHandleForReading
    var bytes = Data()
    while let more = Self.read(output.fileDescriptor) { bytes += more }
    let said = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Outcome(
      exitCode: process.terminationReason == .exit ? process.terminationStatus : -1, bytes: bytes,
      errors: String(decoding: said, as: UTF8.self))
  }
}

extension ToolProcess {
  /// The bytes that have come; nil at the end, which is an error of a terminal whose other end is
  /// closed.
  private static func read(_ file: Int32) -> Data? {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = Foundation.read(file, &buffer, buffer.count)
    return count > 0 ? Data(buffer.prefix(count)) : nil
  }
}

/// A terminal without a window: the tool writes to its inner end, and the test reads the outer one.
private struct Terminal {
  let outer: FileHandle
  let inner: FileHandle

  init() throws {
    let outer = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard outer >= 0, let name = Self.nameOfInnerEnd(outer) else {
      throw CocoaError(.fileReadUnknown)
    }
    let inner = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard inner >= 0 else { throw CocoaError(.fileReadUnknown) }
    self.outer = FileHandle(fileDescriptor: outer, closeOnDealloc: true)
    self.inner = FileHandle(fileDescriptor: inner, closeOnDealloc: false)
  }

  private static func nameOfInnerEnd(_ outer: Int32) -> String? {
    #if os(Linux)
      // The functions of the C library are hidden in Swift. These are their system calls,
      // TIOCSPTLCK and TIOCGPTN.
      var (isLocked, number): (Int32, UInt32) = (0, 0)
      guard ioctl(outer, 0x4004_5431, &isLocked) == 0, ioctl(outer, 0x8004_5430, &number) == 0
      else { return nil }
      return "/dev/pts/\(number)"
    #else
      guard grantpt(outer) == 0, unlockpt(outer) == 0 else { return nil }
      return ptsname(outer).map { String(cString: $0) }
    #endif
  }
}
