// SPDX-License-Identifier: Apache-2.0

/// The status codes that the browser answers with (RFC 9110, section 15).
enum HTTPStatus: Int, Sendable {
  case ok = 200
  case seeOther = 303
  case badRequest = 400
  case forbidden = 403
  case notFound = 404
  case methodNotAllowed = 405
  case requestTimeout = 408
  case conflict = 409
  case lengthRequired = 411
  case contentTooLarge = 413
  case misdirected = 421
  case unprocessable = 422
  case headTooLarge = 431
  case serverError = 500
  case notImplemented = 501
  case unavailable = 503
  case versionNotSupported = 505

  var phrase: String {
    switch self {
    case .ok: "OK"
    case .seeOther: "See Other"
    case .badRequest: "Bad Request"
    case .forbidden: "Forbidden"
    case .notFound: "Not Found"
    case .methodNotAllowed: "Method Not Allowed"
    case .requestTimeout: "Request Timeout"
    case .conflict: "Conflict"
    case .lengthRequired: "Length Required"
    case .contentTooLarge: "Content Too Large"
    case .misdirected: "Misdirected Request"
    case .unprocessable: "Unprocessable Content"
    case .headTooLarge: "Request Header Fields Too Large"
    case .serverError: "Internal Server Error"
    case .notImplemented: "Not Implemented"
    case .unavailable: "Service Unavailable"
    case .versionNotSupported: "HTTP Version Not Supported"
    }
  }
}

/// A request that is answered with an error before any page is asked for it.
struct HTTPRefusal: Error {
  let status: HTTPStatus
  /// A sentence for the person or the program that has sent the request.
  let reason: String

  init(_ status: HTTPStatus, _ reason: String) { (self.status, self.reason) = (status, reason) }
}
