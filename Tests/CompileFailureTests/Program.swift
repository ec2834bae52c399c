// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// One file of `Tests/CompileFailures` and the expected result that its head states.
struct Program: Sendable, CustomTestStringConvertible {
  let file: URL
  let errors: [String]
  let warnings: [String]
  /// Arguments to the compiler that the program is about.
  let flags: [String]

  var testDescription: String { file.deletingPathExtension().lastPathComponent }

  init(_ file: URL) throws {
    let head = try String(contentsOf: file, encoding: .utf8)
      .split(separator: "\n").prefix { $0.hasPrefix("//") }
    func texts(after mark: String) -> [String] {
      head.filter { $0.hasPrefix(mark) }.map { String($0.dropFirst(mark.count)) }
    }
    self.file = file
    errors = texts(after: "// error: ")
    warnings = texts(after: "// warning: ")
    flags = texts(after: "// flags: ").flatMap { $0.split(separator: " ").map(String.init) }
  }

  /// All of them, by name.
  static let all: [Program] = {
    let folder = Compiler.repository.appendingPathComponent("Tests/CompileFailures")
    do {
      return try FileManager.default
        .contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        .filter { $0.pathExtension == "swift" }
        .sorted { $0.lastPathComponent < $1.lastPathComponent }
        .map { try Program($0) }
    } catch {
      preconditionFailure("the programs cannot be read: \(error)")
    }
  }()
}
