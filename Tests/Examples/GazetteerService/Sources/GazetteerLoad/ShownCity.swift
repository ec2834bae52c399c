// SPDX-License-Identifier: Apache-2.0

/// A city in an answer of the service.
struct ShownCity: Decodable {
  let geonameID: Int
  let name: String
  let country: String?
  let population: Int
}

/// A page in an answer of the service.
struct ShownPage: Decodable {
  let cities: [ShownCity]
  let next: Int?
}

/// A refusal in an answer of the service.
struct ShownRefusal: Decodable {
  let code: String
}

/// A city in an event of the service.
struct ShownLargeCity: Decodable {
  let geonameID: Int
  let population: Int
}
