// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A connection that is kept for many requests, with the little HTTP/1.1 that they need.
final class Connection {
  /// The service has closed the connection or was killed: a request may have been executed or not.
  struct Lost: Error {}

  struct Answer {
    let status: Int
    let body: Data
  }

  private let socket: Int32
  private var buffer: [UInt8] = []

  init(port: Int) throws(Lost) {
    socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let isConnected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isConnected else { throw Lost() }
    var (on, patience) = (Int32(1), timeval(tv_sec: 60, tv_usec: 0))
    setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    setsockopt(
      socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(socket) }

  /// Sends a request and waits for the answer.
  func send(_ method: String, _ path: String, _ body: String = "") throws(Lost) -> Answer {
    try begin(method, path, body)
    let head = try readHead()
    var content: [UInt8] = []
    if head.isChunked {
      while let chunk = try readChunk() { content += chunk }
    } else {
      content = try take(head.byteCount)
    }
    return Answer(status: head.status, body: Data(content))
  }

  // MARK: - Streams

  /// Sends a request whose answer stays open.
  ///
  /// - Returns: the status.
  func open(_ path: String) throws(Lost) -> Int {
    try begin("GET", path, "")
    return try readHead().status
  }

  /// The next chunk of the answer; nil at its end.
  func readChunk() throws(Lost) -> [UInt8]? {
    guard let size = Int(try readLine(), radix: 16) else { throw Lost() }
    let chunk = try take(size)
    guard try readLine().isEmpty else { throw Lost() }
    return size == 0 ? nil : chunk
  }

  // MARK: - Bytes

  private struct Head {
    var status = 0
    var byteCount = 0
    var isChunked = false
  }

  private func begin(_ method: String, _ path: String, _ body: String) throws(Lost) {
    let type = body.isEmpty ? "" : "Content-Type: application/json\r\n"
    var rest = Array(
      """
      \(method) \(path) HTTP/1.1\r\nHost: localhost\r\n\(type)\
      Content-Length: \(body.utf8.count)\r\n\r\n\(body)
      """.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Foundation.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw Lost() }
      rest = rest.dropFirst(count)
    }
  }

  private func readHead() throws(Lost) -> Head {
    var head = Head()
    head.status = Int(try readLine().split(separator: " ").dropFirst().first ?? "") ?? 0
    while true {
      let line = try readLine().lowercased()
      if line.isEmpty { return head }
      let parts = line.split(separator: ":", maxSplits: 1)
      let value = parts.count == 2 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
      switch parts[0] {
      case "content-length": head.byteCount = Int(value) ?? 0
      case "transfer-encoding": head.isChunked = value == "chunked"
      default: break
      }
    }
  }

  private func readLine() throws(Lost) -> String {
    while true {
      if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: buffer[..<end], as: UTF8.self)
        buffer.removeFirst(end + 1)
        return line.hasSuffix("\r") ? String(line.dropLast()) : line
      }
      try readMore()
    }
  }

  private func take(_ count: Int) throws(Lost) -> [UInt8] {
    while buffer.count < count { try readMore() }
    defer { buffer.removeFirst(count) }
    return Array(buffer[..<count])
  }

  private func readMore() throws(Lost) {
    var bytes = [UInt8](repeating: 0, count: 16_384)
    let count = recv(socket, &bytes, bytes.count, 0)
    guard count > 0 else { throw Lost() }
    buffer += bytes[..<count]
  }
}
