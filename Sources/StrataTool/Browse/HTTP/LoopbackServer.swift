// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Serves HTTP on 127.0.0.1, with a thread for each connection.
///
/// Threads, because reading a store is synchronous: a fetch that takes long has a thread of its
/// own, and other requests do not wait for it. The number of connections has a limit, beyond which
/// they wait in the system's queue, and each request has limits (`HTTPRequest`, `HTTPExchange`).
///
/// ## Lifetime
/// `run(_:)` returns after `stop(within:)`.
///
/// ## Isolation
/// Sendable: its state is in semaphores of the system.
final class LoopbackServer: Sendable {
  /// The connections that are served at the same time, at most.
  static let connectionCountMax = 64
  /// The stack of a thread, in bytes: as the main thread's, because predicates nest.
  private static let stackByteCount = 8 << 20

  let port: UInt16
  private let listener: Socket
  private let free = DispatchSemaphore(value: LoopbackServer.connectionCountMax)
  private let connections = DispatchGroup()
  /// A byte in it ends `run(_:)`.
  private let end = Pipe()

  /// Listens on a port. Connections wait until `run(_:)` is called.
  ///
  /// - Parameter port: 0 for a free one.
  /// - Throws: `ToolError.port`.
  init(port: UInt16) throws(ToolError) {
    listener = try Socket.listening(on: port)
    self.port = listener.port
  }

  /// Accepts connections until `stop(within:)`.
  ///
  /// - Parameter responder: answers each request on a thread of its own.
  func run(_ responder: some HTTPResponder) {
    while true {
      free.wait()
      guard let socket = nextConnection() else {
        free.signal()
        return
      }
      serve(socket, responder)
    }
  }

  /// Ends `run(_:)`, and waits for the requests that are being answered.
  ///
  /// - Parameter time: how long, at most.
  func stop(within time: DispatchTimeInterval) {
    end.fileHandleForWriting.write(Data([0]))
    _ = connections.wait(timeout: .now() + time)
  }

  /// Waits for a connection; nil at the end.
  private func nextConnection() -> Socket? {
    while true {
      var waiting = [listener.descriptor, end.fileHandleForReading.fileDescriptor].map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      guard poll(&waiting, nfds_t(waiting.count), -1) > 0 else { continue }
      if waiting[1].revents != 0 { return nil }
      if let socket = listener.accept() { return socket }
    }
  }

  /// Answers the request of a connection on a thread of its own, which then frees the place.
  private func serve(_ socket: Socket, _ responder: some HTTPResponder) {
    connections.enter()
    let thread = Thread { [self] in
      HTTPExchange(socket).run(responder)
      free.signal()
      connections.leave()
    }
    thread.stackSize = Self.stackByteCount
    thread.start()
  }
}
