// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives

/// The answer to a request.
struct HTTPResponse: Sendable {
  /// Writes a piece of a body that has no end yet.
  typealias Writer = (_ piece: String) throws -> Void

  enum Body: Sendable {
    case bytes([UInt8])
    /// A body that is written as it comes about. It ends with the connection: when the function
    /// returns, or when the writer throws because the other side is gone.
    case stream(@Sendable (Writer) throws -> Void)
  }

  let status: HTTPStatus
  private(set) var headers: [(name: String, value: String)]
  let body: Body

  init(_ status: HTTPStatus, type: String, _ body: Body) {
    self.status = status
    headers = [("Content-Type", type)]
    self.body = body
  }

  init(_ status: HTTPStatus, html: HTML) {
    self.init(status, type: "text/html; charset=utf-8", .bytes(Array(html.text.utf8)))
  }

  init(_ status: HTTPStatus, text: String) {
    self.init(status, type: "text/plain; charset=utf-8", .bytes(Array((text + "\n").utf8)))
  }

  init(_ refusal: HTTPRefusal) { self.init(refusal.status, text: refusal.reason) }

  /// The answer that leads to another page, which the browser gets with GET.
  init(seeOther address: PageAddress) {
    self.init(.seeOther, text: "See \(address.text)")
    add("Location", address.text)
  }

  /// Adds a header field. Neither the name nor the value has a line end.
  mutating func add(_ name: String, _ value: String) {
    require(!value.utf8.contains { $0 == 13 || $0 == 10 }, "a header field is one line")
    headers.append((name, value))
  }

  /// The bytes before the body.
  var head: [UInt8] {
    var lines = ["HTTP/1.1 \(status.rawValue) \(status.phrase)"]
    lines += headers.map { "\($0.name): \($0.value)" }
    if case .bytes(let bytes) = body { lines.append("Content-Length: \(bytes.count)") }
    lines.append("Connection: close")
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
  }
}
