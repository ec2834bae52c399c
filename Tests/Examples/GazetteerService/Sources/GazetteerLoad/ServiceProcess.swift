// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization

/// The service, as a process that can be killed and started again.
final class ServiceProcess: Sendable {
  struct NotStarted: Error {}

  let port: Int
  private let process: Process

  /// Starts the service and waits until it listens.
  init(_ program: String, store: URL) throws {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(filePath: program)
    process.arguments = [store.path, "0"]
    process.standardOutput = output
    try process.run()
    var line = ""
    while !line.hasSuffix("\n") {
      guard let bytes = try output.fileHandleForReading.read(upToCount: 1) else {
        throw NotStarted()
      }
      line += String(decoding: bytes, as: UTF8.self)
    }
    let words = line.split(whereSeparator: \.isWhitespace)
    guard words.starts(with: ["listening", "on"]), let port = Int(words.last ?? "") else {
      throw NotStarted()
    }
    (self.process, self.port) = (process, port)
  }

  /// Ends the process at once, whatever it is doing.
  func kill() { Foundation.kill(process.processIdentifier, SIGKILL) }

  /// Asks the service to end in order, and waits.
  ///
  /// - Returns: its exit code; nil if a signal has ended it.
  func shutDown() -> Int32? {
    process.terminate()
    return exitCode()
  }

  /// The signal that has ended the process; nil if it has exited. Waits for the end.
  func endingSignal() -> Int32? {
    process.waitUntilExit()
    return process.terminationReason == .uncaughtSignal ? process.terminationStatus : nil
  }

  /// The exit code of the process; nil if a signal has ended it. Waits for the end.
  func exitCode() -> Int32? {
    process.waitUntilExit()
    return process.terminationReason == .exit ? process.terminationStatus : nil
  }
}
