// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

@Suite(.enabled(if: ToolProcess.isThere, "the trait Tool is off"))
struct `The access to the browser` {
  private let folder: TemporaryDirectory
  private let store: String

  init() throws {
    folder = try TemporaryDirectory()
    store = folder.file("samples.strata").path
    try SampleStore.make(at: folder.file("samples.strata"), count: 5, seed: 1)
  }

  private func start(_ options: String...) throws -> BrowserProcess {
    try options.isEmpty
      ? BrowserProcess(store: store) : BrowserProcess(store: store, options[0])
  }

  @Test func `is refused without the token, on every page`() throws {
    let browser = try start()
    for address in ["/", "/entity/Sample", "/browse.js", "/browse.css", "/events", "/history"] {
      let answer = try browser.get(address)
      #expect(answer.status == 403, "\(address)")
      #expect(!answer.body.contains("Sample"))
    }
  }

  @Test(arguments: ["token=", "token=0", "ticket=0", "ticket=", "token=%00"])
  func `is refused with a wrong token`(query: String) throws {
    let browser = try start()
    let answer = try browser.get("/?" + query)
    #expect(answer.status == 403)
    #expect(answer.headers["set-cookie"] == nil)
  }

  @Test func `is refused if a character of the token is another one`() throws {
    let browser = try start()
    let last = try #require(browser.query.last)
    let wrong = browser.query.dropLast() + (last == "0" ? "1" : "0")
    #expect(try browser.get("/?" + wrong).status == 403)
    try browser.logIn()
    let cookie = try #require(browser.cookie)
    let changed = String(cookie.dropLast()) + (cookie.last == "0" ? "1" : "0")
    #expect(try browser.get("/", headers: ["Cookie": changed]).status == 403)
    #expect(try browser.get("/", headers: ["Cookie": "a=b; \(cookie)"]).status == 200)
  }

  @Test func `has a token of 256 random bits, and other ones in its forms`() throws {
    var tokens: Set<String> = []
    for _ in 0..<2 {
      let browser = try start("--allow-changes")
      #expect(browser.query.wholeMatch(of: /token=[0-9a-f]{64}/) != nil, "\(browser.query)")
      tokens.insert(String(browser.query.dropFirst("token=".count)))
      try browser.logIn()
      let list = try browser.get("/entity/Sample").body
      let address = try #require(list.firstMatch(of: /href="(\/object\/Sample\/\d+)"/)).output.1
      let form = try SentForm(in: browser.get("\(address)?edit=1").body)
      tokens.insert(try #require(form["form"]))
    }
    #expect(tokens.count == 4)
    #expect(tokens.allSatisfy { $0.wholeMatch(of: /[0-9a-f]{64}/) != nil })
  }

  @Test func `moves the token from the address to a cookie that scripts cannot read`() throws {
    let browser = try start()
    let answer = try browser.get("/?" + browser.query)
    #expect(answer.status == 303)
    #expect(answer.headers["location"] == "/")
    let cookie = try #require(answer.headers["set-cookie"])
    #expect(cookie.contains("; HttpOnly") && cookie.contains("; SameSite=Strict"))
  }

  @Test(arguments: [
    "evil.example", "evil.example:PORT", "127.0.0.1", "127.0.0.1.evil.example:PORT", "127.0.0.1:1",
    "0.0.0.0:PORT", "",
  ])
  func `is refused for a host that is not the loopback interface`(host: String) throws {
    let browser = try start()
    try browser.logIn()
    let name = host.replacingOccurrences(of: "PORT", with: "\(browser.port)")
    #expect(try browser.get("/", headers: ["Host": name]).status == 421)
    #expect(try browser.get("/?" + browser.query, headers: ["Host": name]).status == 421)
    #expect(try browser.get("/", headers: ["Host": "localhost:\(browser.port)"]).status == 200)
  }

  @Test func `has a policy on each page that lets no foreign code in`() throws {
    let browser = try start()
    #expect(try browser.get("/").headers["content-security-policy"] != nil)
    try browser.logIn()
    for address in ["/", "/entity/Sample", "/nothing", "/entity/Sample?where=(", "/browse.js"] {
      let headers = try browser.get(address).headers
      let policy = try #require(headers["content-security-policy"])
      #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
      #expect(!policy.contains("unsafe"))
      #expect(headers["x-content-type-options"] == "nosniff")
      #expect(headers["referrer-policy"] == "same-origin")
      #expect(headers["cache-control"] == "no-store")
      #expect(headers["access-control-allow-origin"] == nil)
    }
  }

  @Test func `has pages without scripts and styles of their own`() throws {
    let browser = try start()
    try browser.logIn()
    for address in ["/", "/entity/Sample", "/history"] {
      let page = try browser.get(address).body
      #expect(!page.contains(" style=") && !page.contains("<style"))
      #expect(page.firstMatch(of: /\son[a-z]+=/) == nil)
      #expect(page.matches(of: /<script/).count == 1)
    }
  }

  #if os(Linux)
    @Test func `is on the loopback interface alone`() throws {
      let browser = try start()
      let port = String(browser.port, radix: 16, uppercase: true)
      let digits = String(repeating: "0", count: 4 - port.count) + port
      for table in ["/proc/net/tcp", "/proc/net/tcp6"] {
        guard let text = try? String(contentsOfFile: table, encoding: .utf8) else { continue }
        for line in text.split(separator: "\n") {
          let fields = line.split(separator: " ").map(String.init)
          guard fields.count > 3, fields[1].hasSuffix(":" + digits), fields[3] == "0A" else {
            continue
          }
          #expect(fields[1] == "0100007F:" + digits)
        }
      }
    }

    @Test func `through an opened page has an address that works once`() throws {
      // A program that writes the address into a pipe instead of opening it.
      let pipe = folder.file("opened").path
      try #require(mkfifo(pipe, 0o600) == 0)
      let program = folder.file("xdg-open")
      try "#!/bin/sh\nprintf %s \"$1\" > '\(pipe)'\n".write(
        to: program, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program.path)
      let browser = try BrowserProcess(store: store, "--open", path: folder.url.path)
      let opened = try FileHandle(forReadingFrom: URL(fileURLWithPath: pipe))
      let address = String(decoding: opened.readDataToEndOfFile(), as: UTF8.self)
      let query = try #require(URLComponents(string: address)?.query)
      #expect(query.hasPrefix("ticket="))
      #expect(try browser.get("/?" + query).status == 303)
      #expect(try browser.get("/?" + query).status == 403)
    }
  #endif

  // MARK: - Limits

  @Test func `has a limit for the head of a request`() throws {
    let browser = try start()
    try browser.logIn()
    let long = String(repeating: "x", count: 40_000)
    #expect(try browser.get("/entity/Sample?where=" + long).status == 431)
    #expect(try browser.get("/", headers: ["X-Long": long]).status == 431)
    let many = Dictionary(uniqueKeysWithValues: (0..<200).map { ("X-\($0)", "1") })
    #expect(try browser.get("/", headers: many).status == 431)
    // A head without an end.
    #expect(try browser.send(String(repeating: "x", count: 100_000)).status == 431)
    #expect(try browser.get("/").status == 200)
  }

  /// The limit is 15 seconds. With a limit for each byte, the head would become too large first.
  @Test func `has a limit for the time of a request, also of one that comes byte by byte`() throws {
    let browser = try start()
    let slow = try Connection(to: browser.port)
    slow.write("GET / HTTP/1.1\r\nX: ")
    while !slow.hasAnswer { slow.write("x") }
    #expect(try Answer(slow.readToEnd()).status == 408)
  }

  @Test func `has a limit for the body of a request`() throws {
    let browser = try start("--allow-changes")
    try browser.logIn()
    let answer = try browser.post(
      "/object/Sample/1", [("x", String(repeating: "x", count: 5 << 20))])
    #expect(answer.status == 413)
    let claimed = try browser.get("/", headers: ["Content-Length": "99999999999999999999"])
    #expect(claimed.status == 413)
    #expect(try browser.get("/", headers: ["Transfer-Encoding": "chunked"]).status == 411)
    #expect(try browser.get("/").status == 200)
  }

  @Test(arguments: [
    (["Cookie": "a=b"], 403), (["Host": "evil.example"], 421),
    (["Origin": "http://evil.example"], 403), (["Sec-Fetch-Site": "cross-site"], 403),
    (["Cookie": "a=b", "Content-Length": "99999999999"], 403),
    (["Host": "evil.example", "Content-Length": "99999999999"], 421),
    (["Content-Length": "99999999999"], 413),
  ])
  func `is refused before the body is read`(headers: [String: String], status: Int) throws {
    let browser = try start("--allow-changes")
    try browser.logIn()
    // The body never comes: a server that waits for it answers 408.
    let announced = ["Content-Length": "100"].merging(headers) { $1 }
    #expect(try browser.sendHead("POST", "/object/Sample/1", headers: announced).status == status)
    #expect(try browser.get("/").status == 200)
  }

  @Test func `is refused before the body is read if the store is read-only`() throws {
    let browser = try start()
    try browser.logIn()
    let answer = try browser.sendHead(
      "POST", "/object/Sample/1", headers: ["Content-Length": "100"])
    #expect(answer.status == 403)
  }

  @Test func `is refused before the body is decoded`() throws {
    let browser = try start("--allow-changes")
    let broken = [
      "Content-Type": "application/x-www-form-urlencoded", "Content-Length": "3",
    ]
    let answer = try browser.sendHead("POST", "/object/Sample/1", headers: broken, body: "%zz")
    #expect(answer.status == 403)
    try browser.logIn()
    let known = try browser.sendHead("POST", "/object/Sample/1", headers: broken, body: "%zz")
    #expect(known.status == 400)
  }

  @Test(arguments: [
    ("GET\r\n\r\n", 400), ("GET / HTTP/2.0\r\n\r\n", 505), ("BREW / HTTP/1.1\r\n\r\n", 501),
    ("GET http://x/ HTTP/1.1\r\n\r\n", 400), ("GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n", 400),
    ("GET /%ff HTTP/1.1\r\nHost: x\r\n\r\n", 400), ("GET / HTTP/1.1\r\n: x\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n", 400), ("GET / HTTP/1.1\r\nA: \u{0}\r\n\r\n", 400),
    ("GET / HTTP/1.1\nHost: x\r\n\r\n", 400), ("\r\n\r\n", 400), (" \r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
  ])
  func `answers a malformed request with an error`(request: String, status: Int) throws {
    let browser = try start()
    #expect(try browser.send(request).status == status)
    try browser.logIn()
    #expect(try browser.get("/").status == 200)
  }

  @Test func `survives random bytes`() throws {
    let browser = try start()
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    let pieces = [
      "GET ", "/", " HTTP/1.1", "\r\n", "\n", "Host: 127.0.0.1", ":", "%", "?", "&", "=", "\u{0}",
      "Content-Length: 5", "Cookie: strata", "POST ", "é", " ", "..",
    ]
    for _ in 0..<50 {
      let request = (0..<Int.random(in: 1...20, using: &random))
        .map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
      let answer = try browser.send(request + "\r\n\r\n")
      #expect((400...599).contains(answer.status), "seed \(seed): \(request.debugDescription)")
    }
    try browser.logIn()
    #expect(try browser.get("/").status == 200)
  }

  @Test func `waits while too many connections are open, and goes on`() throws {
    let browser = try start()
    try browser.logIn()
    var idle = try (0..<64).map { _ in try Connection(to: browser.port) }
    let waiting = try browser.open("/")
    idle.removeAll()
    #expect(try Answer(waiting.readToEnd()).status == 200)
    #expect(idle.isEmpty)
  }
}
