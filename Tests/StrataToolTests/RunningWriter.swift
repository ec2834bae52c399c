// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A `CrashWriter` process, which saves to a store until it is killed.
final class RunningWriter {
  private let process = Process()
  private let output = Pipe()
  private var said = Data()

  init(storeAt url: URL) throws {
    process.executableURL = ToolProcess.product("CrashWriter")
    process.arguments = [url.path]
    process.standardOutput = output
    try process.run()
  }

  /// Waits until a save with a higher sequence is on the disk.
  ///
  /// - Returns: its sequence.
  func waitForSave(after sequence: Int) throws -> Int {
    while true {
      let lines = String(decoding: said, as: UTF8.self).split(
        separator: "\n", omittingEmptySubsequences: false
      ).dropLast()
      let saved = lines.compactMap { line in
        line.hasPrefix("saved ") ? Int(line.dropFirst(6)) : nil
      }
      if let last = saved.last, last > sequence { return last }
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { throw CocoaError(.executableLoad) }
      said += more
    }
  }

  func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
