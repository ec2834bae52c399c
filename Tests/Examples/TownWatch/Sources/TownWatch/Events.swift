// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata

/// Something that the browser reacts to. All of it comes through one stream, so that the browser
/// deals with one thing at a time.
enum Event: Sendable {
  case key(Key)
  case changed(FetchedResultsDifference)
  case resized
  /// The process should stop until it is continued.
  case suspended
  /// The process should end. The signal is nil if the input has ended.
  case ended(Int32?)
}

/// The events of the terminal and of signals. The browser adds the events of its list.
///
/// A handler writes a signal's number to a pipe, which is one of the few things that a handler may
/// do (POSIX.1-2017, 2.4.3). A thread reads the numbers.
struct Events: Sendable {
  let stream: AsyncStream<Event>
  let continuation: AsyncStream<Event>.Continuation

  init() {
    let (stream, continuation) = AsyncStream.makeStream(of: Event.self)
    (self.stream, self.continuation) = (stream, continuation)
    let numbers = Pipe()
    signalInput = numbers.fileHandleForWriting.fileDescriptor
    for number in [SIGWINCH, SIGTSTP, SIGTERM, SIGINT, SIGHUP, SIGQUIT] {
      signal(number) { number in
        var byte = UInt8(number)
        _ = write(signalInput, &byte, 1)
      }
    }
    Thread { Self.readSignals(numbers, continuation) }.start()
    Thread { Self.readKeys(continuation) }.start()
  }

  private static func readSignals(
    _ numbers: Pipe, _ continuation: AsyncStream<Event>.Continuation
  ) {
    while let byte = try? numbers.fileHandleForReading.read(upToCount: 1)?.first {
      switch Int32(byte) {
      case SIGWINCH: continuation.yield(.resized)
      case SIGTSTP: continuation.yield(.suspended)
      case let number: continuation.yield(.ended(number))
      }
    }
  }

  private static func readKeys(_ continuation: AsyncStream<Event>.Continuation) {
    var pending: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 256)
    while true {
      let count = read(STDIN_FILENO, &bytes, bytes.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      pending += bytes[..<count]
      for key in Key.keys(in: &pending) { continuation.yield(.key(key)) }
    }
    continuation.yield(.ended(nil))
  }
}

/// The end of the pipe that handlers write to.
/// Safety: written once, before the first handler is set.
private nonisolated(unsafe) var signalInput: Int32 = -1
