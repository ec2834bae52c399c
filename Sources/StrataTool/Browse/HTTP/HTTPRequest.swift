// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A request, decoded (RFC 9112, of which it is the part that a browser uses for pages and forms).
///
/// Its head has at most `headByteCountMax` bytes and `headerCountMax` fields. A body has a length:
/// transfer encodings are refused. A longer body than `bodyByteCountMax` bytes is not read.
struct HTTPRequest: Sendable {
  static let headByteCountMax = 32 << 10
  static let headerCountMax = 100
  static let bodyByteCountMax = 4 << 20

  enum Method: String, Sendable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
  }

  let method: Method
  /// The segments of the path: `object`, `City` and `5` of `/object/City/5`; none of `/`.
  let path: [String]
  let query: FormFields
  /// The length of the body in bytes, as the head claims it.
  let bodyByteCount: Int
  /// The fields of the body, which are decoded with `withBody(_:)`.
  private(set) var form = FormFields()
  /// The values by names in lower case.
  private let headers: [String: String]

  func header(_ name: String) -> String? { headers[name] }

  /// The value of a cookie; nil if the request does not have it.
  func cookie(_ name: String) -> String? {
    for pair in (headers["cookie"] ?? "").split(separator: ";") {
      let sides = pair.drop { $0 == " " }.split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if sides.count == 2, sides[0] == name { return String(sides[1]) }
    }
    return nil
  }

  /// The request with the form that its body is.
  ///
  /// - Throws: `HTTPRefusal` if it is not a form.
  func withBody(_ bytes: [UInt8]) throws(HTTPRefusal) -> HTTPRequest {
    guard !bytes.isEmpty else { return self }
    let type = (headers["content-type"] ?? "").split(separator: ";").first ?? ""
    guard type == "application/x-www-form-urlencoded" else {
      throw HTTPRefusal(.badRequest, "The body of a request must be a form.")
    }
    var request = self
    request.form = try FormFields(decoding: bytes[...])
    return request
  }
}

// MARK: - Decoding

extension HTTPRequest {
  /// Decodes the head of a request.
  ///
  /// - Parameter head: all lines, without the empty one that ends the head.
  /// - Throws: `HTTPRefusal`.
  init(head: ArraySlice<UInt8>) throws(HTTPRefusal) {
    guard let text = String(validating: head, as: UTF8.self), Self.hasWholeLines(head) else {
      throw HTTPRefusal(.badRequest, "The head of the request is not valid UTF-8.")
    }
    var lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)
    let words = lines.removeFirst().split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, let version = words.last, version.hasPrefix("HTTP/") else {
      throw HTTPRefusal(.badRequest, "The first line is not a valid request line.")
    }
    guard version.hasPrefix("HTTP/1.") else {
      throw HTTPRefusal(.versionNotSupported, "The browser understands HTTP/1.1.")
    }
    guard let method = Method(rawValue: String(words[0])) else {
      throw HTTPRefusal(.notImplemented, "The browser knows the methods GET, HEAD and POST.")
    }
    self.method = method
    let target = words[1].utf8.split(
      separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
    guard words[1].hasPrefix("/") else {
      throw HTTPRefusal(.badRequest, "The address of the request must begin with a slash.")
    }
    var path: [String] = []
    for segment in target[0].split(separator: UInt8(ascii: "/")) {
      path.append(try PercentCoding.decode(Array(segment)[...]))
    }
    self.path = path
    query = try target.count > 1 ? FormFields(decoding: Array(target[1])[...]) : FormFields()
    headers = try Self.headers(lines)
    guard headers["transfer-encoding"] == nil else {
      throw HTTPRefusal(.lengthRequired, "A body must have a length.")
    }
    bodyByteCount = try Self.byteCount(headers["content-length"])
  }

  private static func headers(_ lines: [Substring]) throws(HTTPRefusal) -> [String: String] {
    guard lines.count <= headerCountMax else {
      throw HTTPRefusal(.headTooLarge, "The request has more than \(headerCountMax) fields.")
    }
    var headers: [String: String] = [:]
    for line in lines {
      guard let colon = line.firstIndex(of: ":"), colon > line.startIndex,
        line[..<colon].utf8.allSatisfy(isTokenByte)
      else { throw HTTPRefusal(.badRequest, "A field of the request has no name.") }
      let name = line[..<colon].lowercased()
      let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      guard let former = headers[name] else {
        headers[name] = value
        continue
      }
      // With two lengths or hosts, two readers may see two different requests.
      if ["host", "content-length", "transfer-encoding", "origin"].contains(name) {
        throw HTTPRefusal(.badRequest, "The request has the field \(name) twice.")
      }
      headers[name] = former + (name == "cookie" ? "; " : ", ") + value
    }
    return headers
  }

  /// Whether the only control characters are tabs and the line ends CR LF.
  private static func hasWholeLines(_ head: ArraySlice<UInt8>) -> Bool {
    head.indices.allSatisfy { index in
      switch head[index] {
      case 9: true
      case 13: index + 1 < head.endIndex && head[index + 1] == 10
      case 10: index > head.startIndex && head[index - 1] == 13
      case let byte: byte >= 32 && byte != 127
      }
    }
  }

  private static func byteCount(_ text: String?) throws(HTTPRefusal) -> Int {
    guard let text else { return 0 }
    guard !text.isEmpty, text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
    else {
      throw HTTPRefusal(.badRequest, "The length of the body is not a number.")
    }
    return Int(text) ?? .max
  }

  /// Whether a name of a field may have the byte (RFC 9110, section 5.6.2).
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
