// SPDX-License-Identifier: Apache-2.0
import CMeasure
import Foundation

/// Work that is measured in a process of its own, which does nothing before: the first use of a
/// type, of the allocator and of the peer's library are part of the work.
///
/// The parent calls `figure`, the child `runIfAsked`, which prints the figure in one line.
struct ProcessWork: Sendable {
  /// The child's orders.
  struct Order {
    let peer: PeerKind
    let scale: Int
    let file: URL
    /// The meaning is the work's.
    let number: Int
  }

  let name: String
  let run: @Sendable (Order) throws -> Figure

  static let all: [ProcessWork] = [
    .opening, .massInsert, .massUpdate, .importing, .getting, .setting,
  ]

  private static let flag = "--in-own-process"
}

// MARK: - In the parent

extension ProcessWork {
  /// Runs the work in a new process.
  ///
  /// - Parameter program: the program that does it; this one, if nil.
  func figure(_ order: Order, program: URL? = nil) throws -> Figure {
    let process = Process()
    process.executableURL = program ?? Self.thisProgram
    process.arguments = [
      Self.flag, name, order.peer.rawValue, "\(order.scale)", order.file.path, "\(order.number)",
    ]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    let text = String(decoding: data, as: UTF8.self)
    guard process.terminationStatus == 0, let figure = Figure(line: text, of: name) else {
      throw Failure(work: name, peer: order.peer, output: text)
    }
    return figure
  }

  static var thisProgram: URL {
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
  }

  struct Failure: Error {
    let work: String
    let peer: PeerKind
    let output: String
  }
}

// MARK: - In the child

extension ProcessWork {
  /// Does the work that the command line orders, if it orders any. The command line is not parsed
  /// by ArgumentParser, which would use much of Swift's runtime before the work.
  static func runIfAsked() throws -> Bool {
    let arguments = CommandLine.arguments
    guard arguments.count == 7, arguments[1] == flag,
      let work = all.first(where: { $0.name == arguments[2] }),
      let peer = PeerKind(rawValue: arguments[3]), let scale = Int(arguments[4]),
      let number = Int(arguments[6])
    else { return false }
    let file = URL(fileURLWithPath: arguments[5])
    print(try work.run(Order(peer: peer, scale: scale, file: file, number: number)).line)
    return true
  }
}

extension Figure {
  /// The measured numbers in one line; `init(line:of:)` reads them.
  fileprivate var line: String {
    let numbers = [nanoseconds ?? 0, cpuNanoseconds ?? 0].map { String($0) }
    return (numbers + ["\(peakBytes ?? 0)", "\(checksum ?? 0)"]).joined(separator: " ")
  }

  fileprivate init?(line: String, of workload: String) {
    let words = line.split(whereSeparator: \.isWhitespace)
    guard words.count == 4, let wall = Double(words[0]), let cpu = Double(words[1]),
      let peak = UInt64(words[2]), let checksum = UInt64(words[3])
    else { return nil }
    self.init(
      workload: workload, nanoseconds: wall, cpuNanoseconds: cpu, peakBytes: peak,
      checksum: checksum)
  }
}
