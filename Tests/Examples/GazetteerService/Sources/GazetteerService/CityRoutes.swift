// SPDX-License-Identifier: Apache-2.0
import Foundation
import Hummingbird
import ServiceLifecycle

/// The requests that the service answers.
///
/// | request | answer |
/// | --- | --- |
/// | `GET /cities/ID` | the city |
/// | `GET /cities?after=ID&country=ISO&limit=COUNT` | a page of cities in the order of IDs |
/// | `POST /cities` | inserts a city |
/// | `POST /cities/ID/growth` | adds people to a city |
/// | `DELETE /cities/ID` | deletes a city |
/// | `GET /countries/ISO/largest` | the largest cities, as server-sent events after each change |
/// | `GET /constant/ID` | a city without the store: the cost of HTTP and JSON alone |
struct CityRoutes: Sendable {
  static let pageCityCounts = 1...1_000

  let cities: Cities

  func add(to router: Router<BasicRequestContext>) {
    router.get("cities/:id") { _, context in
      try cities.city(context.parameters.require("id", as: Int.self))
    }
    router.get("constant/:id") { _, context in
      CityAnswer(example: try context.parameters.require("id", as: Int.self))
    }
    router.get("cities") { request, _ in
      let query = request.uri.queryParameters
      let count = query.get("limit", as: Int.self) ?? 50
      guard Self.pageCityCounts.contains(count) else { throw ServiceError.invalid("limit") }
      return try cities.page(
        after: query.get("after", as: Int.self) ?? 0, of: query.get("country"), count: count)
    }
    router.post("cities") { request, context in
      let city = try await cities.insert(request.decode(as: NewCity.self, context: context))
      return EditedResponse(status: .created, response: city)
    }
    router.post("cities/:id/growth") { request, context in
      let growth = try await request.decode(as: Growth.self, context: context)
      return try await cities.grow(
        context.parameters.require("id", as: Int.self), by: growth.people)
    }
    router.delete("cities/:id") { _, context in
      try await cities.delete(context.parameters.require("id", as: Int.self))
      return HTTPResponse.Status.noContent
    }
    router.get("countries/:iso/largest") { request, context in
      largest(of: try context.parameters.require("iso"), for: request)
    }
  }

  /// Answers with an event for each state, until the client goes or the service ends.
  ///
  /// Changes in quick succession give one event, of the last state. So a slow client costs no
  /// memory, and holds up no writer. A change of other cities gives an equal state, and no event.
  private func largest(of country: String, for request: Request) -> Response {
    let states = cities.largest(of: country, count: 10).cancelOnGracefulShutdown()
    return Response(
      status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
      body: ResponseBody { writer in
        try await request.body.consumeWithCancellationOnInboundClose { _ in
          let encoder = JSONEncoder()
          encoder.outputFormatting = .sortedKeys
          var last = Data()
          for try await state in states {
            let cities = state.map { LargeCity(geonameID: $0.0, name: $0.1, population: $0.2) }
            let json = try encoder.encode(cities)
            if json == last { continue }
            last = json
            try await writer.write(
              ByteBuffer(string: "data: \(String(decoding: json, as: UTF8.self))\n\n"))
          }
        }
        try await writer.finish(nil)
      })
  }
}

/// A city of a live list.
private struct LargeCity: Encodable {
  let geonameID: Int
  let name: String
  let population: Int
}
