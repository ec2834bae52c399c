// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

@Suite(.enabled(if: ToolProcess.isThere, "the trait Tool is off"))
struct `Changes in the browser` {
  private let folder: TemporaryDirectory
  private let store: URL
  private let id: ObjectID
  private let other: ObjectID

  /// Two samples, and a history. The second one has a name alone.
  init() async throws {
    folder = try TemporaryDirectory()
    store = folder.file("samples.strata")
    let coordinator = try PersistentStoreCoordinator(
      at: store, model: SampleStore.model(), durability: .none)
    try await coordinator.keepHistory()
    let context = ManagedObjectContext(parent: coordinator)
    let samples = ["one", "two"].map { name in
      let sample = Sample(context: context)
      sample.name = name
      return sample
    }
    samples[0].text = "first\nsecond"
    samples[0].int8 = 7
    samples[0].count = 3
    samples[0].parent = samples[1]
    try context.save()
    (id, other) = (samples[0].objectID, samples[1].objectID)
  }

  private var address: String { address(of: id) }

  private func address(of id: ObjectID) -> String {
    "/object/Sample/\(id.uriRepresentation.lastPathComponent)"
  }

  private func start() throws -> BrowserProcess {
    let browser = try BrowserProcess(store: store.path, "--allow-changes")
    try browser.logIn()
    return browser
  }

  /// Reads the sample in a context of its own.
  private func read<Value>(_ body: (Sample) throws -> Value) throws -> Value {
    let coordinator = try PersistentStoreCoordinator(
      at: store, model: SampleStore.model(), isReadOnly: true)
    let context = ManagedObjectContext(parent: coordinator)
    return try body(try context.existingObject(with: id))
  }

  @Test func `are refused if they were not asked for, and no form is shown`() throws {
    let before = try Data(contentsOf: store)
    let browser = try BrowserProcess(store: store.path)
    try browser.logIn()
    for query in ["", "?edit=1"] {
      #expect(!(try browser.get(address + query).body.contains("<form class=\"edit\"")))
    }
    #expect(try browser.post(address, [("set.text", "changed")]).status == 403)
    #expect(try browser.post(address + "/delete", []).status == 403)
    for page in ["/", "/entity/Sample?where=count%20%3E%202&sort=-count&plan=1", "/history"] {
      #expect(try browser.get(page).status == 200)
    }
    #expect(try Data(contentsOf: store) == before)
    #expect(try read { $0.text } == "first\nsecond")
  }

  @Test func `set the values that were typed, and no others`() throws {
    let browser = try start()
    var form = try SentForm(in: browser.get(address + "?edit=1").body)
    form.type("third\r\nfourth", into: "text")
    form.type("2026-05-31T12:00:00Z", into: "date")
    form.type("-0.5", into: "double")
    form.type("12345678901234567890.5", into: "decimal")
    form["set.int8"] = nil
    form["null.int8"] = "1"
    let answer = try browser.post(address, form.pairs)
    #expect(answer.status == 303)
    #expect(answer.headers["location"] == address)
    try read { sample in
      #expect(sample.text == "third\nfourth")
      #expect(sample.date == Date(timeIntervalSince1970: 1_780_228_800))
      #expect(sample.double == -0.5)
      #expect(sample.decimal == Decimal(string: "12345678901234567890.5"))
      #expect(sample.int8 == nil)
      #expect(sample.name == "one")
      #expect(sample.parent?.name == "two")
    }
    let history = try ToolProcess.run("history", store.path, "--changes").output
    #expect(history.contains("by strata browse"))
    #expect(history.contains("date, decimal, double, int8, text"))
  }

  @Test func `save nothing for a form as it was, whatever values the object has`() throws {
    let seed = SeededGenerator.firstSeed()
    let url = folder.file("random.strata")
    try SampleStore.make(at: url, count: 30, seed: seed)
    let before = try ToolProcess.run("dump", url.path).bytes
    let browser = try BrowserProcess(store: url.path, "--allow-changes")
    try browser.logIn()
    let list = try browser.get("/entity/Sample?size=200").body
    let addresses = list.matches(of: /<th scope="row"><a href="([^"]+)"/).map {
      String($0.output.1)
    }
    #expect(addresses.count > 10)
    for address in addresses {
      let form = try SentForm(in: browser.get(address + "?edit=1").body)
      #expect(form["set.name"] != nil)
      #expect(try browser.post(address, form.pairs).status == 303, "seed \(seed), \(address)")
    }
    #expect(try ToolProcess.run("dump", url.path).bytes == before, "seed \(seed)")
  }

  @Test func `leave a value that was never set unset`() throws {
    let browser = try start()
    let form = try SentForm(in: browser.get(address(of: other) + "?edit=1").body)
    #expect(try browser.post(address(of: other), form.pairs).status == 303)
    #expect(try ToolProcess.run("history", store.path).lines.count == 1)
  }

  @Test(arguments: [
    ("int8", "128"), ("int8", "x"), ("uint8", "-1"), ("double", "1,5"), ("date", "yesterday"),
    ("uuid", "1"), ("data", "?"), ("spot", "{"), ("decimal", "1x"), ("bool", "maybe"),
    ("count", "9223372036854775808"), ("count", ""),
  ])
  func `with a value that does not fit show the form with its problem`(
    attribute: String, text: String
  ) throws {
    let browser = try start()
    var form = try SentForm(in: browser.get(address + "?edit=1").body)
    form.type("changed", into: "text")
    form.type(text, into: attribute)
    let answer = try browser.post(address, form.pairs)
    #expect(answer.status == 422)
    #expect(answer.body.contains("id=\"error.\(attribute)\">This must be "))
    #expect(answer.body.contains("Nothing was saved."))
    #expect(try SentForm(in: answer.body)["set.text"] == "changed")
    #expect(try read { $0.text } == "first\nsecond")
  }

  @Test func `are all saved once the problem of one is corrected`() throws {
    let browser = try start()
    var form = try SentForm(in: browser.get(address + "?edit=1").body)
    form.type("changed", into: "text")
    form.type("x", into: "count")
    var again = try SentForm(in: browser.post(address, form.pairs).body)
    again.type("5", into: "count")
    #expect(try browser.post(address, again.pairs).status == 303)
    #expect(try read { $0.text } == "changed")
    #expect(try read { $0.count } == 5)
  }

  @Test func `that break a constraint show the object that has the value`() throws {
    let browser = try start()
    var form = try SentForm(in: browser.get(address + "?edit=1").body)
    form.type("two", into: "name")
    let answer = try browser.post(address, form.pairs)
    #expect(answer.status == 422)
    #expect(
      answer.body.firstMatch(of: /id="error.name">Sample\/\d+ has this value already/) != nil)
    #expect(try read { $0.name } == "one")
    form.type("three", into: "name")
    #expect(try browser.post(address, form.pairs).status == 303)
    #expect(try read { $0.name } == "three")
  }

  @Test func `of a value that must not be absent are refused`() throws {
    let browser = try start()
    let answer = try browser.post(
      address, try SentForm(in: browser.get(address + "?edit=1").body).pairs + [("null.count", "1")]
    )
    #expect(answer.status == 422)
    #expect(answer.body.contains("id=\"error.count\">This must have a value"))
  }

  @Test func `do not overwrite a value that another program has changed since`() throws {
    let browser = try start()
    var form = try SentForm(in: browser.get(address + "?edit=1").body)
    let coordinator = try PersistentStoreCoordinator(at: store, model: SampleStore.model())
    let context = ManagedObjectContext(parent: coordinator)
    let sample: Sample = try context.existingObject(with: id)
    sample.text = "theirs"
    try context.save()
    form.type("ours", into: "text")
    let answer = try browser.post(address, form.pairs)
    #expect(answer.status == 422)
    #expect(answer.body.contains("Another program has changed this value"))
    #expect(try read { $0.text } == "theirs")
  }

  @Test(arguments: [
    ["form": ""], ["form": "0"], ["origin": "http://evil.example"], ["origin": "null"],
    ["site": "cross-site"], ["site": "same-site"], ["type": "text/plain"],
  ])
  func `from a page of a stranger are refused`(mistake: [String: String]) throws {
    let browser = try start()
    var form = try SentForm(in: browser.get(address + "?edit=1").body)
    form.type("changed", into: "text")
    if let token = mistake["form"] { form["form"] = token }
    var headers: [String: String] = [:]
    headers["Origin"] = mistake["origin"]
    headers["Sec-Fetch-Site"] = mistake["site"]
    headers["Content-Type"] = mistake["type"]
    let answer = try browser.post(address, form.pairs, headers: headers)
    #expect(answer.status == (mistake["type"] == nil ? 403 : 400))
    #expect(try read { $0.text } == "first\nsecond")
    let own = [
      "Origin": "http://127.0.0.1:\(browser.port)", "Sec-Fetch-Site": "same-origin",
    ]
    let sound = try SentForm(in: browser.get(address + "?edit=1").body)
    #expect(try browser.post(address, sound.pairs, headers: own).status == 303)
  }

  @Test func `by GET are no changes`() throws {
    let browser = try start()
    let form = try SentForm(in: browser.get(address + "?edit=1").body)
    let token = try #require(form["form"])
    #expect(try browser.get("\(address)?form=\(token)&set.text=changed").status == 200)
    #expect(try browser.get("\(address)/delete?form=\(token)").status == 404)
    #expect(try read { $0.text } == "first\nsecond")
  }

  @Test func `delete an object with the token of the form alone`() throws {
    let browser = try start()
    #expect(try browser.post(address + "/delete", []).status == 403)
    let form = try SentForm(in: browser.get(address).body)
    let answer = try browser.post(address + "/delete", form.pairs)
    #expect(answer.status == 303)
    #expect(answer.headers["location"] == "/entity/Sample")
    #expect(try browser.get(address).status == 404)
    #expect(throws: ContextError.objectNotFound(id)) { try read { $0.name } }
  }
}
