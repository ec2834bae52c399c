// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives

/// Decides which requests may see the store, and which may change it.
///
/// The server is on the loopback interface, where other programs and other users of the machine
/// reach it, and so do pages of strangers in the user's browser.
///
/// | against | check |
/// | --- | --- |
/// | other users and programs | `checkCookie`: the token, once in the address, then in a cookie |
/// | a stranger's name for 127.0.0.1 (DNS rebinding) | `checkHost`: a name of the loopback |
/// | forms on pages of strangers (CSRF) | `checkOrigin`, and `checkForm`: a token in each form |
/// | an address that users see in the list of processes | a ticket, which works once |
///
/// ## Isolation
/// Sendable: the ticket is behind a lock.
final class BrowserAccess: Sendable {
  private let port: UInt16
  private let token = BrowserAccess.randomText()
  /// The value of the field `form` in each form.
  let formToken = BrowserAccess.randomText()
  private let ticket = CountedMutex<String?>(nil)

  init(port: UInt16) { self.port = port }

  /// The address for the user: it opens the store in any browser, as long as the server runs.
  var address: String { origin + "/?token=" + token }

  /// An address that opens the store once.
  func makeTicketAddress() -> String {
    let text = Self.randomText()
    ticket.withLock { $0 = text }
    return origin + "/?ticket=" + text
  }

  // MARK: - Checks

  /// Checks that the request was sent to this server under a name of the loopback interface.
  ///
  /// - Throws: `HTTPRefusal`.
  func checkHost(of request: HTTPRequest) throws(HTTPRefusal) {
    guard let host = request.header("host"), hosts.contains(host.lowercased()) else {
      throw HTTPRefusal(.misdirected, "This server answers to 127.0.0.1:\(port) alone.")
    }
  }

  /// Whether the request's query has the token or an unused ticket, and the answer is to set the
  /// cookie.
  func redeems(_ request: HTTPRequest) -> Bool {
    if let text = request.query["token"] { return Self.areEqual(text, token) }
    guard let text = request.query["ticket"] else { return false }
    return ticket.withLock { ticket in
      guard let unused = ticket, Self.areEqual(text, unused) else { return false }
      ticket = nil
      return true
    }
  }

  /// The cookie that lets a browser see the store until it is closed: scripts cannot read it, and
  /// pages of other sites do not send it. All ports of a host share cookies, so the name has the
  /// port.
  var cookie: String { "\(cookieName)=\(token); Path=/; HttpOnly; SameSite=Strict" }

  /// Checks that the request's cookie has the token.
  ///
  /// - Throws: `HTTPRefusal`.
  func checkCookie(of request: HTTPRequest) throws(HTTPRefusal) {
    guard let text = request.cookie(cookieName), Self.areEqual(text, token) else {
      throw HTTPRefusal(
        .forbidden, "Open the address that strata browse has printed: it has the token.")
    }
  }

  /// Checks that a change does not come from a page of another server. Only the head is needed.
  ///
  /// - Throws: `HTTPRefusal`.
  func checkOrigin(of request: HTTPRequest) throws(HTTPRefusal) {
    let origins = hosts.map { "http://" + $0 }
    guard request.header("origin").map({ origins.contains($0.lowercased()) }) ?? true,
      request.header("sec-fetch-site").map({ $0 == "same-origin" }) ?? true
    else { throw Self.foreignForm }
  }

  /// Checks that the request comes from a form of this server.
  ///
  /// - Throws: `HTTPRefusal`.
  func checkForm(of request: HTTPRequest) throws(HTTPRefusal) {
    guard let text = request.form["form"], Self.areEqual(text, formToken) else {
      throw Self.foreignForm
    }
  }

  private static let foreignForm = HTTPRefusal(
    .forbidden, "The form is not one of this server's pages.")

  // MARK: - Texts

  private var origin: String { "http://127.0.0.1:\(port)" }
  private var hosts: [String] {
    // Browsers leave out the port of HTTP.
    ["127.0.0.1:\(port)", "localhost:\(port)"] + (port == 80 ? ["127.0.0.1", "localhost"] : [])
  }
  private var cookieName: String { "strata-\(port)" }

  /// 256 bits of the system's generator, in hexadecimal digits.
  private static func randomText() -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<4).map { _ in
      let digits = String(generator.next(), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// Compares in a time that does not depend on the first difference.
  private static func areEqual(_ left: String, _ right: String) -> Bool {
    let (left, right) = (Array(left.utf8), Array(right.utf8))
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }

  // MARK: - Headers

  /// The header fields of each answer: a page loads nothing from elsewhere, runs no script but
  /// the server's file, is in no frame and in no cache, and is not named to other sites. (With
  /// `no-referrer`, browsers send no origin with forms.)
  static let headers = [
    (
      "Content-Security-Policy",
      "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "
        + "img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "same-origin"),
    ("Cache-Control", "no-store"), ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
  ]
}
