// SPDX-License-Identifier: Apache-2.0
import CrashLedger
import Foundation
import StrataPrimitives

/// A running `CrashWriter`, and the end of it.
struct WriterProcess {
  private let process = Process()
  private let output = Pipe()

  /// Where the package manager put `CrashWriter` and this test.
  private static let products: URL = {
    #if os(macOS)
      let tests = Bundle.allBundles.first { $0.bundleURL.pathExtension == "xctest" } ?? .main
      return tests.bundleURL.deletingLastPathComponent()
    #else
      return Bundle.main.bundleURL
    #endif
  }()

  /// - Parameters:
  ///   - words: the writer's task besides saving.
  ///   - fault: a mistake that the writer makes.
  init(
    storeAt url: URL, doing words: String..., planting fault: StorageFault? = nil
  ) throws {
    process.executableURL = Self.products.appendingPathComponent("CrashWriter")
    process.arguments = [url.path] + words
    if let fault {
      process.environment = ProcessInfo.processInfo.environment
        .merging([StorageFault.variable: fault.rawValue]) { $1 }
    }
    process.standardOutput = output
    try process.run()
  }

  /// Does an operation in a process, which stops itself at a call for a file.
  init(
    storeAt url: URL, doing operation: CrashOperation, _ event: CrashEvent, at call: Int
  ) throws {
    try self.init(storeAt: url, doing: operation.rawValue, event.rawValue, "\(call)")
  }

  var processID: Int32 { process.processIdentifier }

  /// Waits until the process has stopped itself.
  ///
  /// - Returns: false if it has ended instead.
  func waitUntilStopped() -> Bool {
    var information = siginfo_t()
    while true {
      let code = waitid(P_PID, id_t(processID), &information, WSTOPPED | WEXITED | WNOWAIT)
      if code == 0 { return information.si_code == Int32(CLD_STOPPED) }
      if errno != EINTR { return false }
    }
  }

  /// Lets a stopped process go on.
  ///
  /// - Returns: its outcome.
  func proceed() -> SaidOutcome? {
    Foundation.kill(processID, SIGCONT)
    let said = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Self.lines(said).last.map(SaidOutcome.init)
  }

  /// Waits until the writer has said a line that begins with `word`.
  func wait(for word: String) -> Bool {
    var said = Data()
    while !Self.lines(said).contains(where: { $0.hasPrefix(word) }) {
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return false }
      said += more
    }
    return true
  }

  /// Ends the process, whether it is stopped or not.
  func end() {
    guard process.isRunning else { return }
    Foundation.kill(processID, SIGKILL)
    process.waitUntilExit()
  }

  /// Waits until the writer has said a line that begins with `word`, lets it go on for
  /// `microseconds`, and kills it.
  ///
  /// - Returns: all that it said; nil if it ended by itself.
  func kill(microseconds: UInt32, after word: String) -> [Substring]? {
    var said = Data()
    while !Self.lines(said).contains(where: { $0.hasPrefix(word) }) {
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { break }
      said += more
    }
    usleep(microseconds)
    Foundation.kill(process.processIdentifier, SIGKILL)
    said += output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationReason == .uncaughtSignal, process.terminationStatus == SIGKILL
    else { return nil }
    return Self.lines(said)
  }

  /// Does an operation in a process, in which an event happens at a call for a file.
  ///
  /// - Returns: its last line; nil if it was killed.
  static func result(
    of operation: CrashOperation, onStoreAt url: URL, _ event: CrashEvent, at call: Int,
    planting fault: StorageFault? = nil
  ) throws -> SaidOutcome? {
    let writer = try WriterProcess(
      storeAt: url, doing: operation.rawValue, event.rawValue, "\(call)", planting: fault)
    let said = writer.output.fileHandleForReading.readDataToEndOfFile()
    writer.process.waitUntilExit()
    if writer.process.terminationReason == .uncaughtSignal,
      writer.process.terminationStatus == SIGKILL
    {
      return nil
    }
    guard let line = lines(said).last else { throw CocoaError(.executableLoad) }
    return SaidOutcome(line)
  }

  /// Does an operation in a process that records its changes to files.
  static func record(
    _ operation: CrashOperation, onStoreAt url: URL, to file: URL,
    planting fault: StorageFault? = nil
  ) throws -> Bool {
    let writer = try WriterProcess(
      storeAt: url, doing: operation.rawValue, "record", file.path, planting: fault)
    let said = writer.output.fileHandleForReading.readDataToEndOfFile()
    writer.process.waitUntilExit()
    return lines(said).last == "recorded"
  }

  /// Whole lines only.
  private static func lines(_ said: Data) -> [Substring] {
    String(decoding: said, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
      .dropLast()
  }
}

/// The last line of a process that has done a `CrashOperation`.
struct SaidOutcome {
  let outcome: String
  /// The numbers of calls, by `CrashEvent.CallClass`.
  let counts: [Int]
  /// The outcome of the repetition after an error.
  let repeated: String?

  init(_ line: Substring) {
    let words = line.split(separator: " ").map(String.init)
    outcome = words.first ?? ""
    counts = words.dropFirst().compactMap { Int($0) }
    repeated = words.dropFirst().last.flatMap { Int($0) == nil ? $0 : nil }
  }
}

/// The sequence of the last save that the writer reported to be on the disk, 0 if there is none.
func lastSaved(_ said: [Substring]) -> Int {
  said.last { $0.hasPrefix("saved ") }.flatMap { Int($0.dropFirst(6)) } ?? 0
}
