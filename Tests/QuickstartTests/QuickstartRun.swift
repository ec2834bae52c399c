// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A finished run of the quickstart, as a user would run it.
struct QuickstartRun {
  let exitCode: Int32
  let standardError: String
  /// The printed lines: the first word of each, and the rest of it.
  let facts: [String: String]

  init(_ arguments: String...) throws { try self.init(arguments) }

  init(_ arguments: [String]) throws {
    let process = Process()
    process.executableURL = Self.productsDirectory.appendingPathComponent("quickstart")
    process.arguments = arguments
    let output = Pipe()
    let errors = Pipe()
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    // Both are shorter than a pipe holds, so that one may be read after the other.
    let printed = output.fileHandleForReading.readDataToEndOfFile()
    standardError = String(
      decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    exitCode = process.terminationStatus
    facts = Dictionary(
      String(decoding: printed, as: UTF8.self).split(separator: "\n").map {
        let words = $0.split(separator: " ", maxSplits: 1).map(String.init)
        return (words.first ?? "", words.dropFirst().first ?? "")
      }, uniquingKeysWith: { first, _ in first })
  }

  /// Where the package's binaries are: on Linux beside the test binary, else beside the bundle.
  private static var productsDirectory: URL {
    #if os(Linux)
      let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      return program.deletingLastPathComponent()
    #else
      let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") } ?? .main
      return tests.bundleURL.deletingLastPathComponent()
    #endif
  }
}
