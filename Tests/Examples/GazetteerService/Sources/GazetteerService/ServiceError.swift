// SPDX-License-Identifier: Apache-2.0
import Hummingbird
import Strata

/// A request that the service refuses. Its answer is JSON with a code for programs and a text for
/// people: `{"code": "noSuchCity", "message": "There is no city 7."}`.
enum ServiceError: Error {
  case noSuchCity(Int)
  case noSuchCountry(String)
  case cityExists(Int)
  /// The named value of the request is not in its range.
  case invalid(String)
  /// The request itself cannot be understood.
  case malformed(HTTPResponse.Status, String)
  /// Others changed the same cities each time. Nothing was written.
  case contended
  /// Another process writes, or the disk is full. Nothing was written.
  case unavailable
  /// A mistake of the service. The log says more.
  case failed

  /// Finds the answer for an error of a route.
  init(_ error: any Error) {
    switch error {
    case let error as ServiceError: self = error
    case let error as HTTPError:
      self = .malformed(error.status, error.body ?? error.status.reasonPhrase)
    case ContextError.validationFailed: self = .invalid("city")
    case StoreError.storeBusy, StoreError.diskFull, StoreError.storeFull: self = .unavailable
    default: self = .failed
    }
  }
}

extension ServiceError: HTTPResponseError {
  var status: HTTPResponse.Status {
    switch self {
    case .noSuchCity: .notFound
    case .noSuchCountry, .invalid: .unprocessableContent
    case .cityExists: .conflict
    case .malformed(let status, _): status
    case .contended, .unavailable: .serviceUnavailable
    case .failed: .internalServerError
    }
  }

  private var answer: Answer {
    switch self {
    case .noSuchCity(let id): Answer("noSuchCity", "There is no city \(id).")
    case .noSuchCountry(let iso): Answer("noSuchCountry", "There is no country \(iso).")
    case .cityExists(let id): Answer("cityExists", "There is a city \(id) already.")
    case .invalid(let value): Answer("invalid", "The value of \(value) is out of range.")
    case .malformed(_, let problem): Answer("malformed", problem)
    case .contended: Answer("contended", "Others change the same cities. Try again.")
    case .unavailable: Answer("unavailable", "The store cannot be changed now. Try again later.")
    case .failed: Answer("failed", "The service has failed.")
    }
  }

  func response(from request: Request, context: some RequestContext) throws -> Response {
    var response = try answer.response(from: request, context: context)
    response.status = status
    if status == .serviceUnavailable { response.headers[.retryAfter] = "1" }
    return response
  }

  private struct Answer: ResponseEncodable {
    let code: String
    let message: String

    init(_ code: String, _ message: String) { (self.code, self.message) = (code, message) }
  }
}

/// Gives each error of a route its answer.
struct ErrorAnswers<Context: RequestContext>: RouterMiddleware {
  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch {
      let refusal = ServiceError(error)
      if case .failed = refusal { context.logger.error("\(error)") }
      return try refusal.response(from: request, context: context)
    }
  }
}
