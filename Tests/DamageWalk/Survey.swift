// SPDX-License-Identifier: Apache-2.0
import Foundation
import Gazetteer
import Strata
import StrataLMDB
import StrataTestSupport

/// Damages one file after the other and tells the results apart.
final class Survey {
  enum Outcome: String, CaseIterable {
    case right, error
    /// Wrong facts of a file with its stamp, and an error at the first write: Docs/Security.md.
    case stamped
    case wrong, signal, hang
  }

  /// The stamp of a damaged file, and how a process takes it.
  enum Stamp: String, CaseIterable {
    /// Nothing: the file is a copy.
    case missing
    /// It has the stamp of a sound file, as after damage of the disk, or a forgery.
    case kept
    /// The same, and the process is told to check it all the same.
    case ignored
  }

  private let seed: UInt64
  private let folder: TemporaryDirectory
  private let file: [UInt8]
  private let former: [UInt8]
  private let expected: [Substring]

  init(seed: UInt64) throws {
    self.seed = seed
    folder = try TemporaryDirectory()
    let (store, copy) = (folder.file("store"), folder.file("former"))
    try Self.make(store, copyingHalfwayTo: copy)
    file = [UInt8](try Data(contentsOf: store))
    former = [UInt8](try Data(contentsOf: copy))
    expected = Self.read(store).lines
    print("a store of \(file.count / 4_096) pages, seed \(seed): \(expected)")
    guard expected.count == 2, expected.allSatisfy({ !$0.hasPrefix("error") }) else {
      throw CocoaError(.fileReadUnknown)
    }
  }

  /// The store is closed when its container is released.
  private static func make(_ store: URL, copyingHalfwayTo copy: URL) throws {
    try Reading.open(store).root.performAndWait { context in
      try Gazetteer.large.fill(context) {
        try FileManager.default.copyItem(at: store, to: copy)
      }
    }
  }

  /// - Parameters:
  ///   - stamps: which the files have, in turn.
  ///   - endsAtFirst: whether the first bad result is the last.
  /// - Returns: whether no result was bad.
  func run(
    _ count: Int, of kinds: [Damage], _ stamps: [Stamp], endsAtFirst: Bool
  ) throws -> Bool {
    var isClean = true
    try keep(file, "undamaged")
    let start = ContinuousClock.now
    print(
      "kind".padding(toLength: 15, withPad: " ", startingAt: 0)
        + Outcome.allCases.map { Self.right($0.rawValue) }.joined())
    for kind in kinds where isClean || !endsAtFirst {
      var outcomes: [Outcome: Int] = [:]
      for number in 0..<count where isClean || !endsAtFirst {
        var random = SeededGenerator(seed: seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
        var damaged = file
        kind.apply(to: &damaged, former: former, using: &random)
        let url = folder.file("damaged")
        let stamp = stamps[number % stamps.count]
        let outcome = try result(of: damaged, at: url, stamp)
        outcomes[outcome, default: 0] += 1
        if ![.right, .error, .stamped].contains(outcome) {
          isClean = false
          try keep(damaged, "\(kind.rawValue)-\(stamp.rawValue)-\(number)-\(outcome.rawValue)")
        }
      }
      print(
        kind.rawValue.padding(toLength: 15, withPad: " ", startingAt: 0)
          + Outcome.allCases.map { Self.right("\(outcomes[$0, default: 0])") }.joined())
    }
    print("in \(ContinuousClock.now - start)")
    return isClean
  }

  private func result(of damaged: [UInt8], at url: URL, _ stamp: Stamp) throws -> Outcome {
    for path in [url.path, url.path + "-lock"] { unlink(path) }
    try Data(damaged).write(to: url)
    if stamp != .missing { OpeningCheck.noteStamp(besideFileAt: url.path) }
    let (lines, end) = Self.read(url, alwaysChecking: stamp == .ignored)
    switch end {
    case .hang: return .hang
    case .signal: return .signal
    case .exit: break
    }
    // All facts that were printed before an error have to be right, too.
    let facts = lines.prefix { !$0.hasPrefix("error") }
    let hasError = lines.last?.hasPrefix("error") == true
    guard facts.elementsEqual(expected.prefix(facts.count)) else {
      return stamp == .kept && facts.count == 1 && hasError ? .stamped : .wrong
    }
    if facts.count == expected.count { return .right }
    return hasError ? .error : .signal
  }

  private func keep(_ damaged: [UInt8], _ name: String) throws {
    guard let out = ProcessInfo.processInfo.environment["STRATA_DAMAGE_OUT"] else { return }
    try Data(damaged).write(to: URL(fileURLWithPath: out).appendingPathComponent(name))
  }

  private static func right(_ text: String) -> String {
    String(repeating: " ", count: max(1, 9 - text.count)) + text
  }

  // MARK: - A process

  private enum End { case exit, signal, hang }

  /// How long a process may take, in seconds; an undamaged store takes a tenth of a second.
  private static let patience = 20.0

  private static func read(
    _ store: URL, alwaysChecking: Bool = false
  ) -> (lines: [Substring], end: End) {
    let process = Process()
    let output = Pipe()
    process.executableURL = Bundle.main.executableURL
    process.arguments = [alwaysChecking ? "check" : "read", store.path]
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return ([], .signal) }
    let deadline = DispatchSource.makeTimerSource()
    deadline.schedule(deadline: .now() + patience)
    deadline.setEventHandler { process.terminate() }
    deadline.activate()
    let said = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    deadline.cancel()
    let lines = String(decoding: said, as: UTF8.self).split(separator: "\n")
    guard process.terminationReason == .uncaughtSignal else { return (lines, .exit) }
    return (lines, process.terminationStatus == SIGTERM ? .hang : .signal)
  }
}
