// SPDX-License-Identifier: Apache-2.0
import Foundation
import Gazetteer
import Strata
import StrataTestSupport

/// Damages one file after the other and tells the results apart.
final class Survey {
  enum Outcome: String, CaseIterable {
    case right, error, wrong, signal, hang
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

  /// - Parameter endsAtFirst: whether the first bad result is the last.
  /// - Returns: whether each result was right or an error.
  func run(_ count: Int, of kinds: [Damage], endsAtFirst: Bool) throws -> Bool {
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
        let outcome = try result(of: damaged, at: url)
        outcomes[outcome, default: 0] += 1
        if outcome != .right, outcome != .error {
          isClean = false
          try keep(damaged, "\(kind.rawValue)-\(number)-\(outcome.rawValue)")
        }
      }
      print(
        kind.rawValue.padding(toLength: 15, withPad: " ", startingAt: 0)
          + Outcome.allCases.map { Self.right("\(outcomes[$0, default: 0])") }.joined())
    }
    print("in \(ContinuousClock.now - start)")
    return isClean
  }

  private func result(of damaged: [UInt8], at url: URL) throws -> Outcome {
    try? FileManager.default.removeItem(atPath: url.path + "-lock")
    try Data(damaged).write(to: url)
    let (lines, end) = Self.read(url)
    switch end {
    case .hang: return .hang
    case .signal: return .signal
    case .exit: break
    }
    // What was printed before an error has to be right, too.
    let facts = lines.prefix { !$0.hasPrefix("error") }
    guard facts.elementsEqual(expected.prefix(facts.count)) else { return .wrong }
    if facts.count == expected.count { return .right }
    return lines.last?.hasPrefix("error") == true ? .error : .signal
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

  private static func read(_ store: URL) -> (lines: [Substring], end: End) {
    let process = Process()
    let output = Pipe()
    process.executableURL = Bundle.main.executableURL
    process.arguments = ["read", store.path]
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
