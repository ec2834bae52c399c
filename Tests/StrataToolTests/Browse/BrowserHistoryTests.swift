// SPDX-License-Identifier: Apache-2.0
import CrashLedger
import Foundation
import Strata
import StrataTestSupport
import Testing

@Suite(.enabled(if: ToolProcess.isThere, "the trait Tool is off"))
struct `The browser beside a program that saves` {
  private let folder: TemporaryDirectory
  private let url: URL

  init() throws {
    folder = try TemporaryDirectory()
    url = folder.file("ledger.strata")
  }

  @Test func `shows each save when it is made`() throws {
    let writer = try RunningWriter(storeAt: url)
    defer { writer.kill() }
    _ = try writer.waitForSave(after: 0)
    let browser = try BrowserProcess(store: url.path)
    try browser.logIn()
    let page = try browser.get("/history").body
    let after = try #require(page.firstMatch(of: /data-after="(\d+)"/)).output.1
    let revision = try #require(page.firstMatch(of: /data-revision="(\d+)"/)).output.1
    let events = try browser.open("/events?revision=\(revision)&after=\(after)")
    let number = try #require(UInt64(after)) + 1
    let said = try #require(events.read(until: "id: \(number + 1)\n"))
    #expect(said.contains("Content-Type: text/event-stream"))
    #expect(said.contains("event: change\n"))
    #expect(said.contains("event: transaction\nid: \(number)\ndata: <tr><th scope=\"row\""))
    #expect(!said.contains("id: \(after)\n"))
    // A page that has lost the connection goes on where it was.
    let later = try browser.open("/events?revision=-1&after=\(number)")
    let again = try #require(later.read(until: "event: transaction\n"))
    #expect(!again.contains("id: \(number)\n"))
    #expect(try browser.get("/history/\(number)").body.contains("<h2>Changes</h2>"))
  }

  @Test func `shows the transactions in pages, the newest first`() async throws {
    let coordinator = try PersistentStoreCoordinator(
      at: url, model: SampleStore.model(), durability: .none)
    try await coordinator.keepHistory()
    let context = ManagedObjectContext(parent: coordinator)
    context.transactionAuthor = "<i>author</i>"
    for index in 0..<150 {
      let label = Label(context: context)
      label.title = "label \(index)"
      try context.save()
    }
    let browser = try BrowserProcess(store: url.path)
    try browser.logIn()
    let first = try browser.get("/history").body
    let numbers = first.matches(of: /href="\/history\/(\d+)"/).compactMap { UInt64($0.output.1) }
    #expect(numbers.count == 100)
    #expect(numbers == numbers.sorted(by: >))
    #expect(first.contains("&lt;i&gt;author&lt;/i&gt;") && !first.contains("<i>"))
    let older = try #require(first.firstMatch(of: /rel="next" href="([^"]+)"/)).output.1
    let second = try browser.get(String(older)).body
    let others = second.matches(of: /href="\/history\/(\d+)"/).compactMap { UInt64($0.output.1) }
    #expect(others.count == 50)
    #expect(others.first == numbers.last.map { $0 - 1 })
    let changes = try browser.get("/history/\(numbers[0])").body
    #expect(changes.contains("insert"))
    #expect(changes.contains("href=\"/object/Label/"))
    for number in ["0", "1000000", "18446744073709551615"] {
      #expect((400...404).contains(try browser.get("/history/\(number)").status))
    }
  }

  @Test func `ends with code 0 at a signal, also while a page is followed`() throws {
    try SampleStore.make(at: url, count: 3, seed: 1)
    for signal in [SIGINT, SIGTERM] {
      let browser = try BrowserProcess(store: url.path)
      try browser.logIn()
      let events = try browser.open("/events")
      _ = try #require(events.read(until: "retry"))
      #expect(browser.end(with: signal) == 0)
    }
  }

  @Test func `says that a port is taken`() throws {
    try SampleStore.make(at: url, count: 3, seed: 1)
    let browser = try BrowserProcess(store: url.path)
    let outcome = try ToolProcess.run("browse", url.path, "--port", "\(browser.port)")
    #expect(outcome.exitCode == 74)
    #expect(outcome.errors.contains("The port \(browser.port) of 127.0.0.1 cannot be used"))
    #expect(try ToolProcess.run("browse", folder.file("none").path).exitCode == 66)
    #expect(try ToolProcess.run("browse", url.path, "--port", "70000").exitCode == 64)
  }

  @Test func `lets 32 pages be followed, and has others come again in a minute`() throws {
    try SampleStore.make(at: url, count: 3, seed: 1)
    let browser = try BrowserProcess(store: url.path)
    try browser.logIn()
    var followed = try (0..<32).map { _ in try browser.open("/events") }
    for page in followed { _ = try #require(page.read(until: "retry: 2000\n")) }
    let refused = try browser.open("/events")
    #expect(refused.read(until: "retry: 60000\n") != nil)
    #expect(refused.read(until: "retry: 2000\n") == nil, "the answer ends")
    #expect(try browser.get("/entity/Sample").status == 200)
    // That a page is gone is noticed when something is written to it.
    followed.removeLast()
    let context = ManagedObjectContext(
      parent: try PersistentStoreCoordinator(
        at: url, model: SampleStore.model(), durability: .none))
    var next = try browser.open("/events")
    while next.read(until: "retry: 2000\n") == nil {
      Label(context: context).title = "another"
      try context.save()
      next = try browser.open("/events")
    }
    withExtendedLifetime(followed) {}
  }

  @Test func `lets a long answer hold up no other`() throws {
    try SampleStore.make(at: url, count: 3, seed: 1)
    let browser = try BrowserProcess(store: url.path)
    try browser.logIn()
    let open = try (0..<8).map { _ in try browser.open("/events") }
    #expect(try browser.get("/entity/Sample").status == 200)
    #expect(open.count == 8)
  }
}
