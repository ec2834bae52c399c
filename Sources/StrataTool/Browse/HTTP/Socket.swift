// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A socket of the loopback interface. Each wait has a limit.
///
/// ## Lifetime
/// The descriptor is closed with the last reference.
///
/// ## Isolation
/// Sendable: it is a number, and the system orders the calls.
final class Socket: Sendable {
  enum Failure: Error {
    /// The other side has not read or written for too long.
    case late
    /// The other side is gone.
    case closed
  }

  let descriptor: Int32

  private init(owning descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// A socket that listens on 127.0.0.1.
  ///
  /// - Parameter port: 0 for a free one, which the system chooses.
  /// - Throws: `ToolError.port`.
  static func listening(on port: UInt16) throws(ToolError) -> Socket {
    let descriptor = socket(AF_INET, Self.stream, 0)
    guard descriptor >= 0 else { throw .port(port, errno) }
    let listener = Socket(owning: descriptor)
    listener.prepare()
    var yes: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let code = withUnsafeBytes(of: &address) { bytes in
      bind(
        descriptor, bytes.baseAddress!.bindMemory(to: sockaddr.self, capacity: 1),
        socklen_t(bytes.count))
    }
    guard code == 0, listen(descriptor, 64) == 0 else { throw .port(port, errno) }
    return listener
  }

  /// The port of a socket that listens.
  var port: UInt16 {
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    _ = withUnsafeMutableBytes(of: &address) { bytes in
      getsockname(
        descriptor, bytes.baseAddress!.bindMemory(to: sockaddr.self, capacity: 1), &length)
    }
    return UInt16(bigEndian: address.sin_port)
  }

  /// The next connection; nil if the other side has given up.
  func accept() -> Socket? {
    let other = Foundation.accept(descriptor, nil, nil)
    guard other >= 0 else { return nil }
    let socket = Socket(owning: other)
    socket.prepare()
    return socket
  }

  /// The next bytes, at most `countMax`; none at the end.
  func read(countMax: Int, by deadline: ContinuousClock.Instant) throws(Failure) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: countMax)
    while true {
      let count = recv(descriptor, &buffer, countMax, 0)
      if count >= 0 { return Array(buffer.prefix(count)) }
      try waitIfBlocked(for: Int16(POLLIN), by: deadline)
    }
  }

  /// Writes all bytes. The other side reads some of them in each `patience`.
  func write(_ bytes: [UInt8], patience: Duration) throws(Failure) {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes {
        send(descriptor, $0.baseAddress! + written, $0.count - written, Self.noSignal)
      }
      if count >= 0 {
        written += count
      } else {
        try waitIfBlocked(for: Int16(POLLOUT), by: .now + patience)
      }
    }
  }

  /// Says that nothing more will be written.
  func finishWriting() { shutdown(descriptor, Int32(Self.writing)) }

  // MARK: - The system

  /// After a call that has failed: waits until it can be repeated.
  private func waitIfBlocked(
    for event: Int16, by deadline: ContinuousClock.Instant
  ) throws(Failure) {
    switch errno {
    case EINTR: return
    case EAGAIN, EWOULDBLOCK: break
    default: throw .closed
    }
    let rest = ContinuousClock.now.duration(to: deadline).components
    let milliseconds =
      rest.seconds * 1_000 + rest.attoseconds / 1_000_000_000_000_000
    guard milliseconds > 0 else { throw .late }
    var waiting = pollfd(fd: descriptor, events: event, revents: 0)
    if poll(&waiting, 1, Int32(clamping: milliseconds)) == 0 { throw .late }
  }

  private func prepare() {
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    #if canImport(Darwin)
      var yes: Int32 = 1
      setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
    #endif
  }

  #if canImport(Darwin)
    private static let stream = SOCK_STREAM
    private static let noSignal: Int32 = 0
    private static let writing = SHUT_WR
  #else
    private static let stream = Int32(SOCK_STREAM.rawValue)
    private static let noSignal = Int32(MSG_NOSIGNAL)
    private static let writing = SHUT_WR
  #endif
}
