// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataPrimitives

/// The messages of Strata about its own state, for the log of the program. There are few, such as
/// the warning that a reader makes a store's file grow. They have no value that a program stores.
///
/// ```swift
/// StrataLog.handler = { message in
///   logger.log(level: .init(rawValue: message.level.rawValue) ?? .warning, "\(message.text)")
/// }
/// ```
public enum StrataLog {
  /// How important a message is: the levels of swift-log, from the least to the most important.
  public enum Level: String, Sendable, Hashable, CaseIterable, Comparable {
    /// Steps of the work. swift-log: `trace`.
    case trace
    /// For the search for a mistake. swift-log: `debug`.
    case debug
    /// About normal work. swift-log: `info`.
    case info
    /// Normal, and worth attention. swift-log: `notice`.
    case notice
    /// No error yet, and it may lead to one. swift-log: `warning`.
    case warning
    /// Something has failed. swift-log: `error`.
    case error
    /// Something has failed that needs attention at once. swift-log: `critical`.
    case critical

    public static func < (left: Level, right: Level) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
  }

  /// One message.
  public struct Message: Sendable, Hashable, CustomStringConvertible {
    /// How important the message is.
    public let level: Level
    /// Sentences in English: the state, and the remedy.
    public let text: String
    /// The figures and names in the text, by key, and the path of the store's file as `store`.
    public let metadata: [String: String]

    package init(_ level: Level, _ text: String, metadata: [String: String] = [:]) {
      (self.level, self.text, self.metadata) = (level, text, metadata)
    }

    /// The message in one line: level, text, and metadata sorted by key.
    public var description: String {
      let pairs = metadata.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
      let list = pairs.isEmpty ? "" : " (\(pairs.joined(separator: ", ")))"
      return "Strata \(level.rawValue): \(text)\(list)"
    }
  }

  /// A function that gets messages: one after the other, on a queue of their own, soon after the
  /// events. It is called within no lock of Strata, so it may use any store, and no save waits for
  /// it. If it is slower than the events for long, messages are dropped.
  public typealias Handler = @Sendable (Message) -> Void

  /// The handler of all messages of the process. A new handler gets the messages from then on. Nil
  /// discards them; the default is `standardError`.
  public static var handler: Handler? {
    get { installed.withLock { $0.handler } }
    set { installed.withLock { $0.handler = newValue } }
  }

  /// Writes each message to the standard error stream as one line.
  public static let standardError: Handler = { message in
    let line = message.description.split(whereSeparator: \.isNewline).joined(separator: " ")
    // A stream that is closed or full is not a reason to end the process.
    try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
  }

  private struct Installed {
    var handler: Handler? = StrataLog.standardError
  }

  private static let installed = CountedMutex(Installed())

  package static func log(_ message: @autoclosure () -> Message) {
    guard let handler else { return }
    let message = message()
    Deliveries.deliver { handler(message) }
  }

  /// Waits until handlers have had all messages so far. In a handler, on its own thread, it returns
  /// at once. At the exit of the process, handlers have a second for the messages that wait.
  ///
  /// - Important: Do not call this within a block of a context that a handler uses: each would wait
  ///   for the other.
  public static func flush() { Deliveries.flush() }
}
