// SPDX-License-Identifier: Apache-2.0

/// What a server does with the requests that it reads.
///
/// A request is asked about twice, so that the body of one that is refused is never read into
/// memory or decoded: first its head alone, then the whole.
///
/// ## Isolation
/// Sendable: several threads ask at the same time.
protocol HTTPResponder: Sendable {
  /// The answer to a request whose body is not needed: a refusal, for example. With nil, the body
  /// is read, and `response(to:)` is called.
  ///
  /// - Parameter head: the request without its form.
  func earlyResponse(to head: HTTPRequest) -> HTTPResponse?

  /// The answer to a whole request, for which there was no early one.
  func response(to request: HTTPRequest) -> HTTPResponse
}
