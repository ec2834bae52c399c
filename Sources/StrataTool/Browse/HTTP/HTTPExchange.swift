// SPDX-License-Identifier: Apache-2.0

/// One request over one connection, and its answer. The connection is closed afterwards: pages are
/// few, and a connection that is used once cannot confuse the end of one request with the beginning
/// of the next.
struct HTTPExchange {
  /// The time in which the whole request must come.
  private static let requestTime = Duration.seconds(15)
  /// The time in which the other side must read something.
  private static let readingTime = Duration.seconds(30)
  /// The time in which the other side must close, so that it gets the answer also if it has not
  /// finished writing: the system discards the answer if bytes are left unread.
  private static let closingTime = Duration.seconds(2)

  private let socket: Socket

  init(_ socket: Socket) { self.socket = socket }

  /// Reads the request, answers it, and waits until the other side has closed. The body is read
  /// only if there is no early answer.
  func run(_ responder: some HTTPResponder) {
    do throws(Socket.Failure) {
      let response: HTTPResponse
      var isHead = false
      do {
        let deadline = ContinuousClock.now + Self.requestTime
        let (head, start) = try readHead(by: deadline)
        isHead = head.method == .head
        if let early = responder.earlyResponse(to: head) {
          response = early
        } else {
          response = responder.response(to: try readBody(of: head, start, by: deadline))
        }
      } catch let refusal as HTTPRefusal {
        response = HTTPResponse(refusal)
      } catch let failure as Socket.Failure {
        guard failure == .late else { throw failure }
        response = HTTPResponse(HTTPRefusal(.requestTimeout, "The request took too long."))
      } catch {
        throw .closed
      }
      try write(response, withBody: !isHead)
      socket.finishWriting()
      try drain()
    } catch {
      // The other side is gone.
    }
  }

  // MARK: - Reading

  /// The request without its body, and the bytes behind the head that came with it.
  private func readHead(
    by deadline: ContinuousClock.Instant
  ) throws -> (HTTPRequest, rest: ArraySlice<UInt8>) {
    var bytes: [UInt8] = []
    var (end, searched) = (Int?.none, 0)
    while end == nil {
      let more = try socket.read(countMax: 8 << 10, by: deadline)
      guard !more.isEmpty else { throw Socket.Failure.closed }
      bytes += more
      end = Self.endOfHead(in: bytes, from: max(0, searched - 3))
      searched = bytes.count
      if (end ?? bytes.count) > HTTPRequest.headByteCountMax {
        throw HTTPRefusal(
          .headTooLarge,
          "The head of a request has at most \(HTTPRequest.headByteCountMax >> 10) KiB.")
      }
    }
    let length = end ?? 0
    return (try HTTPRequest(head: bytes[..<length]), bytes[(length + 4)...])
  }

  /// - Parameter start: the bytes of the body that have come already.
  private func readBody(
    of request: HTTPRequest, _ start: ArraySlice<UInt8>, by deadline: ContinuousClock.Instant
  ) throws -> HTTPRequest {
    guard request.bodyByteCount <= HTTPRequest.bodyByteCountMax else {
      throw HTTPRefusal(
        .contentTooLarge, "A form has at most \(HTTPRequest.bodyByteCountMax >> 20) MiB.")
    }
    var body = Array(start)
    while body.count < request.bodyByteCount {
      let more = try socket.read(countMax: 64 << 10, by: deadline)
      guard !more.isEmpty else { throw Socket.Failure.closed }
      body += more
    }
    return try request.withBody(Array(body.prefix(request.bodyByteCount)))
  }

  /// The place of the empty line.
  private static func endOfHead(in bytes: [UInt8], from start: Int) -> Int? {
    guard bytes.count >= 4 else { return nil }
    return (start...(bytes.count - 4)).first { index in
      bytes[index] == 13 && bytes[index + 1] == 10 && bytes[index + 2] == 13
        && bytes[index + 3] == 10
    }
  }

  // MARK: - Writing

  private func write(
    _ response: HTTPResponse, withBody hasBody: Bool
  ) throws(Socket.Failure) {
    try socket.write(response.head, patience: Self.readingTime)
    guard hasBody else { return }
    switch response.body {
    case .bytes(let bytes): try socket.write(bytes, patience: Self.readingTime)
    case .stream(let body):
      do {
        try body { try socket.write(Array($0.utf8), patience: Self.readingTime) }
      } catch {
        throw .closed
      }
    }
  }

  /// Reads the rest of the other side's bytes, until it closes.
  private func drain() throws(Socket.Failure) {
    let deadline = ContinuousClock.now + Self.closingTime
    var rest = 4 * HTTPRequest.bodyByteCountMax
    while rest > 0 {
      let more = try socket.read(countMax: 64 << 10, by: deadline)
      guard !more.isEmpty else { return }
      rest -= more.count
    }
  }
}
