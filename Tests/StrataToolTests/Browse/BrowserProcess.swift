// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// A `strata browse` process, and a client of it. The process is ended with the last reference.
///
/// Its end is waited for with a semaphore: `waitUntilExit()` of a process that has just ended may
/// never return on Linux.
final class BrowserProcess {
  private let process = Process()
  private let output = Pipe()
  private let ended = DispatchSemaphore(value: 0)
  private var exitCode: Int32?
  let port: UInt16
  /// The query of the printed address.
  let query: String
  /// The cookie that the printed address is exchanged for; nil before `logIn()`.
  private(set) var cookie: String?

  /// Starts the browser and waits for its address.
  ///
  /// - Parameters:
  ///   - options: behind the name of the store.
  ///   - path: a folder in which the process looks for programs first.
  init(store: String, _ options: String..., path: String? = nil) throws {
    process.executableURL = ToolProcess.product("strata")
    process.arguments = ["browse", store] + options
    var environment = ProcessInfo.processInfo.environment
    if let path { environment["PATH"] = path + ":" + (environment["PATH"] ?? "") }
    process.environment = environment
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.terminationHandler = { [ended] _ in ended.signal() }
    try process.run()
    var said = Data()
    while !said.contains(UInt8(ascii: "\n")) {
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { throw CocoaError(.executableLoad) }
      said += more
    }
    let line = String(decoding: said, as: UTF8.self).trimmingCharacters(in: .newlines)
    let address = try #require(URLComponents(string: line))
    try #require(address.scheme == "http" && address.host == "127.0.0.1" && address.path == "/")
    port = UInt16(try #require(address.port))
    query = try #require(address.query)
  }

  deinit {
    if exitCode == nil { _ = end() }
  }

  /// Exchanges the printed address for the cookie.
  func logIn() throws {
    let answer = try send("GET /?\(query) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
    let field = try #require(answer.headers["set-cookie"])
    cookie = String(field.prefix { $0 != ";" })
  }

  /// Ends the process with a signal.
  ///
  /// - Returns: its exit code; -1 if the signal itself has ended it.
  func end(with signal: Int32 = SIGTERM) -> Int32 {
    if process.isRunning { kill(process.processIdentifier, signal) }
    ended.wait()
    let code = process.terminationReason == .exit ? process.terminationStatus : -1
    exitCode = code
    return code
  }

  // MARK: - Requests

  func get(_ address: String, headers: [String: String] = [:]) throws -> Answer {
    try send(head("GET", address, headers) + "\r\n")
  }

  func post(
    _ address: String, _ fields: [(String, String)], headers: [String: String] = [:]
  ) throws -> Answer {
    let body = fields.map { "\(Self.escaped($0.0))=\(Self.escaped($0.1))" }.joined(separator: "&")
    let form = [
      "Content-Type": "application/x-www-form-urlencoded",
      "Content-Length": "\(body.utf8.count)",
    ]
    return try send(
      head("POST", address, headers.merging(form) { first, _ in first }) + "\r\n" + body)
  }

  /// Sends the head of a request with any method, and reads until the server closes.
  ///
  /// - Parameter body: the bytes behind the head. They may be fewer than the head announces.
  func sendHead(
    _ method: String, _ address: String, headers: [String: String], body: String = ""
  ) throws -> Answer {
    try send(head(method, address, headers) + "\r\n" + body)
  }

  /// Sends a whole request and reads until the server closes.
  func send(_ request: String) throws -> Answer {
    let connection = try Connection(to: port)
    connection.write(request)
    return try Answer(connection.readToEnd())
  }

  /// A connection whose request has been sent.
  func open(_ address: String) throws -> Connection {
    let connection = try Connection(to: port)
    connection.write(try head("GET", address, [:]) + "\r\n")
    return connection
  }

  private func head(
    _ method: String, _ address: String, _ headers: [String: String]
  ) throws -> String {
    var fields = ["Host": "127.0.0.1:\(port)"]
    if let cookie { fields["Cookie"] = cookie }
    fields.merge(headers) { $1 }
    return "\(method) \(address) HTTP/1.1\r\n"
      + fields.map { "\($0.key): \($0.value)\r\n" }.joined()
  }

  static func escaped(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
  }
}

/// The answer to a request.
struct Answer {
  let status: Int
  /// The values by names in lower case.
  let headers: [String: String]
  let bytes: Data

  var body: String { String(decoding: bytes, as: UTF8.self) }

  init(_ data: Data) throws {
    let end = try #require(data.range(of: Data("\r\n\r\n".utf8)))
    let lines = String(decoding: data[..<end.lowerBound], as: UTF8.self)
      .components(separatedBy: "\r\n")
    status = try #require(Int(lines[0].split(separator: " ")[1]))
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      let colon = try #require(line.firstIndex(of: ":"))
      headers[line[..<colon].lowercased()] = line[line.index(after: colon)...]
        .trimmingCharacters(in: .whitespaces)
    }
    self.headers = headers
    bytes = Data(data[end.upperBound...])
  }
}

/// A connection to a port of this machine.
final class Connection {
  private let descriptor: Int32
  private var received = Data()

  init(to port: UInt16) throws {
    #if canImport(Darwin)
      descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #else
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let code = withUnsafeBytes(of: &address) { bytes in
      connect(
        descriptor, bytes.baseAddress!.bindMemory(to: sockaddr.self, capacity: 1),
        socklen_t(bytes.count))
    }
    guard code == 0 else { throw CocoaError(.fileNoSuchFile) }
  }

  deinit { close(descriptor) }

  /// Writes as much as the server takes: it may close before it has read everything.
  func write(_ text: String) {
    let bytes = Array(text.utf8)
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes {
        #if canImport(Darwin)
          Foundation.send(descriptor, $0.baseAddress! + written, $0.count - written, 0)
        #else
          Foundation.send(
            descriptor, $0.baseAddress! + written, $0.count - written, Int32(MSG_NOSIGNAL))
        #endif
      }
      guard count > 0 else { return }
      written += count
    }
  }

  /// Whether bytes have come, or the server has closed. It waits a millisecond for them.
  var hasAnswer: Bool {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&waiting, 1, 1) != 0
  }

  func readToEnd() -> Data {
    while readMore() {}
    return received
  }

  /// Waits for a text.
  ///
  /// - Returns: everything that was received; nil if the server has closed without the text.
  func read(until text: String) -> String? {
    repeat {
      let said = String(decoding: received, as: UTF8.self)
      if said.contains(text) { return said }
    } while readMore()
    return nil
  }

  private func readMore() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = Foundation.recv(descriptor, &buffer, buffer.count, 0)
    if count > 0 { received += Data(buffer.prefix(count)) }
    return count > 0
  }
}
