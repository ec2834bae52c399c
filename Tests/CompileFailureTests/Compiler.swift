// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The Swift compiler, with the Strata that this test was built with.
enum Compiler {
  /// The result of a compilation.
  struct Outcome {
    let succeeded: Bool
    let output: String

    var errors: [Substring] { diagnostics("error: ") }
    var warnings: [Substring] { diagnostics("warning: ") }

    /// The diagnostics of one severity, wherever they point: `<unknown>:0: error: …` too, which is
    /// how a missing module announces itself.
    private func diagnostics(_ severity: String) -> [Substring] {
      output.split(separator: "\n").filter { $0.contains(severity) }
    }
  }

  static let repository = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Where the package manager put modules, plugins and this test.
  private static let products: URL = {
    #if os(macOS)
      let tests = Bundle.allBundles.first { $0.bundleURL.pathExtension == "xctest" } ?? .main
      return tests.bundleURL.deletingLastPathComponent()
    #else
      return Bundle.main.bundleURL
    #endif
  }()

  /// Compiles up to the passes that find data races, and writes nothing.
  static func compile(_ program: Program) throws -> Outcome {
    let macros = products.appendingPathComponent("StrataMacros-tool").path
    let arguments = [
      "swiftc", "-swift-version", "6", "-parse-as-library", "-diagnostic-style", "llvm",
      "-emit-sil", "-o", "/dev/null", "-load-plugin-executable", macros + "#StrataMacros",
    ]
    return try run(arguments + modules + program.flags + [program.file.path])
  }

  /// Writes a module's symbol graphs to `folder`.
  static func extractSymbols(of module: String, to folder: URL) throws -> Outcome {
    let target = try run(["swiftc", "-print-target-info"])
    let info = try JSONDecoder().decode(TargetInfo.self, from: Data(target.output.utf8))
    return try run(
      [
        "swift", "symbolgraph-extract", "-module-name", module, "-target", info.target.triple,
        "-minimum-access-level", "public", "-output-dir", folder.path,
      ] + modules)
  }

  private struct TargetInfo: Decodable {
    struct Target: Decodable { let triple: String }
    let target: Target
  }

  /// The options that find the modules this test was built with.
  private static var modules: [String] {
    [
      "-I", products.appendingPathComponent("Modules").path,
      // Modules that were built for testing name the C modules that they import internally.
      "-Xcc",
      "-fmodule-map-file=" + products.appendingPathComponent("CStrata.build/module.modulemap").path,
      "-Xcc",
      "-fmodule-map-file="
        + products.appendingPathComponent("CGuardedLMDB.build/module.modulemap").path,
      "-Xcc",
      "-fmodule-map-file="
        + repository.appendingPathComponent("Sources/CStrataLMDB/module.modulemap").path,
    ]
  }

  /// Runs a tool of the toolchain. Its output is standard output and then standard error.
  private static func run(_ arguments: [String]) throws -> Outcome {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Outcome(
      succeeded: process.terminationStatus == 0, output: String(decoding: output, as: UTF8.self))
  }
}
