// SPDX-License-Identifier: Apache-2.0
import Foundation

extension Connection {
  /// Gets a city and compares it with the ledger.
  func checkCity(_ id: Int, _ ledger: Ledger) throws {
    let before = ledger[id]
    let answer = try send("GET", "/cities/\(id)")
    if before?.presence == .absent {
      return try answer.expect(404, "noSuchCity", of: id)
    }
    let city = try answer.read(ShownCity.self, status: 200, of: id)
    try ledger.check(city, since: before, id: id)
  }

  /// Gets the cities after `id` and compares all of them with the ledger.
  func checkPage(after id: Int, of country: String?, count: Int, _ ledger: Ledger) throws {
    let all = country.flatMap { ledger.idsByCountry[$0] } ?? ledger.ids
    let start = all.firstIndex { $0 > id } ?? all.endIndex
    let expected = all[start...].prefix(count)
    let before = expected.map { ledger[$0] }
    let filter = country.map { "&country=\($0)" } ?? ""
    let page = try send("GET", "/cities?after=\(id)&limit=\(count)\(filter)")
      .read(ShownPage.self, status: 200, of: id)
    guard page.cities.map(\.geonameID) == Array(expected) else {
      throw WrongAnswer(description: "page after \(id): \(page.cities.map(\.geonameID))")
    }
    for (city, before) in zip(page.cities, before) {
      try ledger.check(city, since: before, id: city.geonameID)
    }
    let isLast = start + count >= all.count
    guard page.next == (isLast ? nil : expected.last) else {
      throw WrongAnswer(description: "page after \(id): next is \(page.next ?? -1)")
    }
  }

  /// Adds people to a city. The answer shows the sum.
  func grow(_ id: Int, by people: Int, _ ledger: Ledger) throws {
    let before = ledger[id]
    ledger.change(id) { $0.willAdd(people) }
    let answer = try send("POST", "/cities/\(id)/growth", #"{"people": \#(people)}"#)
    if answer.status == 503 {
      ledger.change(id) { $0.didNotAdd(people) }
      try answer.expect(503, "contended", of: id)
      throw Refused()
    }
    let city = try answer.read(ShownCity.self, status: 200, of: id)
    ledger.change(id) { $0.didAdd(people) }
    guard city.population >= (before?.population.lowerBound ?? 0) + people else {
      throw WrongAnswer(description: "city \(id) has \(city.population) after its growth")
    }
    try ledger.check(city, since: before, id: id)
  }

  /// Inserts a city that no other connection changes, or is refused because it exists.
  func insert(_ id: Int, _ new: Account, _ ledger: Ledger) throws {
    let exists = ledger[id]?.presence == .present
    if !exists {
      ledger.insert(new, as: id)
      ledger.change(id) { $0.become(.inDoubt) }
    }
    let answer = try send(
      "POST", "/cities",
      """
      {"geonameID": \(id), "name": "\(new.name)", "country": "\(new.country)", \
      "population": \(new.population.upperBound)}
      """)
    if exists { return try answer.expect(409, "cityExists", of: id) }
    let city = try answer.read(ShownCity.self, status: 201, of: id)
    ledger.change(id) { $0.become(.present) }
    try ledger.check(city, since: new, id: id)
  }

  /// Deletes a city that no other connection changes, or is refused because it does not exist.
  func delete(_ id: Int, _ ledger: Ledger) throws {
    let exists = ledger[id]?.presence == .present
    if exists { ledger.change(id) { $0.become(.inDoubt) } }
    let answer = try send("DELETE", "/cities/\(id)")
    guard exists else { return try answer.expect(404, "noSuchCity", of: id) }
    guard answer.status == 204 else {
      throw WrongAnswer(description: "city \(id): \(answer.status) instead of 204")
    }
    ledger.change(id) { $0.become(.absent) }
  }

  /// Gets a city after a restart. Acknowledged changes must be there; the rest is settled.
  func checkAfterRestart(_ id: Int, _ ledger: Ledger) throws {
    guard let account = ledger[id] else { return }
    let answer = try send("GET", "/cities/\(id)")
    if answer.status == 404, account.presence != .present {
      return ledger.change(id) { $0.settle(at: nil) }
    }
    guard account.presence != .absent else {
      throw WrongAnswer(description: "city \(id) is there again, after its acknowledged deletion")
    }
    let city = try answer.read(ShownCity.self, status: 200, of: id)
    try ledger.check(city, since: account, id: id)
    ledger.change(id) { $0.settle(at: city.population) }
  }
}

extension Ledger {
  /// Compares an answer with the ledger before the request and now.
  fileprivate func check(_ city: ShownCity, since before: Account?, id: Int) throws {
    guard let before, let now = self[id] else {
      throw WrongAnswer(description: "city \(id) should not be there")
    }
    let bounds = before.population.lowerBound...now.population.upperBound
    guard city.geonameID == id, city.name == before.name, city.country == before.country,
      bounds.contains(city.population)
    else { throw WrongAnswer(description: "\(city), where the population is in \(bounds)") }
    change(id) { $0.saw(city.population) }
  }
}

extension Connection.Answer {
  func read<Value: Decodable>(_ type: Value.Type, status: Int, of id: Int) throws -> Value {
    guard self.status == status, let value = try? JSONDecoder().decode(type, from: body) else {
      throw WrongAnswer(
        description: "city \(id): \(self.status) \(String(decoding: body, as: UTF8.self))")
    }
    return value
  }

  fileprivate func expect(_ status: Int, _ code: String, of id: Int) throws {
    guard try read(ShownRefusal.self, status: status, of: id).code == code else {
      throw WrongAnswer(description: "city \(id): not \(code)")
    }
  }
}
