// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

@Suite(.enabled(if: ToolProcess.isThere, "the trait Tool is off"))
struct `The browser of a store` {
  private let folder: TemporaryDirectory
  private let browser: BrowserProcess

  /// Five samples and two labels. The texts of some are hostile.
  init() throws {
    folder = try TemporaryDirectory()
    let url = folder.file("samples.strata")
    let coordinator = try PersistentStoreCoordinator(
      at: url, model: SampleStore.model(), durability: .none)
    let context = ManagedObjectContext(parent: coordinator)
    let texts = [
      "plain", nil, "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>&amp;",
      "\u{202E}txt.exe\u{0}\u{1B}[31m", String(repeating: "long ", count: 200_000),
    ]
    let label = Label(context: context)
    label.title = "<b>bold</b> label"
    let other = Label(context: context)
    other.title = "other"
    for (index, text) in texts.enumerated() {
      let sample = Sample(context: context)
      (sample.name, sample.count, sample.text) = ("sample \(index)", index, text)
      sample.wearer = index == 0 ? label : nil
      sample.held.insert(index.isMultiple(of: 2) ? label : other)
    }
    try context.save()
    browser = try BrowserProcess(store: url.path)
    try browser.logIn()
  }

  @Test func `shows the entities with the numbers of their objects`() throws {
    let page = try browser.get("/")
    #expect(page.status == 200)
    #expect(page.headers["content-type"] == "text/html; charset=utf-8")
    #expect(page.body.contains("href=\"/entity/Sample\""))
    #expect(page.body.contains("<data value=\"5\">5</data>"))
    #expect(page.body.contains("<data value=\"2\">2</data>"))
    #expect(page.body.contains("read-only"))
  }

  @Test func `shows the objects of a condition in their order`() throws {
    let page = try browser.get("/entity/Sample?where=count%20%3E%202&sort=-count")
    #expect(page.status == 200)
    let first = try #require(page.body.range(of: "sample 4"))
    let second = try #require(page.body.range(of: "sample 3"))
    #expect(first.lowerBound < second.lowerBound)
    #expect(!page.body.contains("sample 2"))
    #expect(page.body.contains("2 match"))
    #expect(page.body.contains("aria-sort=\"descending\""))
  }

  @Test func `shows objects in pages that link to each other`() throws {
    let page = try browser.get("/entity/Sample?sort=count&size=2&page=2")
    #expect(page.body.contains("sample 2") && page.body.contains("sample 3"))
    #expect(!page.body.contains("sample 1") && !page.body.contains("sample 4"))
    #expect(page.body.contains("<a rel=\"prev\" href=\"/entity/Sample?sort=count&amp;size=2\">"))
    #expect(
      page.body.contains(
        "<a rel=\"next\" href=\"/entity/Sample?sort=count&amp;size=2&amp;page=3\">"))
    let last = try browser.get("/entity/Sample?sort=count&size=2&page=3")
    #expect(!last.body.contains("rel=\"next\""))
  }

  @Test(arguments: ["9999999", "-1", "0", "99999999999999999999", "x"])
  func `answers for any number of a page`(number: String) throws {
    #expect(try browser.get("/entity/Sample?page=\(number)&size=\(number)").status == 200)
  }

  @Test(arguments: ["201", "1000", "99999999999999999999"])
  func `shows at most 200 objects or members on a page`(size: String) throws {
    let url = folder.file("many.strata")
    let context = ManagedObjectContext(
      parent: try PersistentStoreCoordinator(
        at: url, model: SampleStore.model(), durability: .none))
    let sample = Sample(context: context)
    for number in 0..<250 {
      let label = Label(context: context)
      label.title = "label \(number)"
      sample.labels.append(label)
    }
    try context.save()
    let browser = try BrowserProcess(store: url.path)
    try browser.logIn()
    let id = sample.objectID.uriRepresentation.lastPathComponent
    for address in ["/entity/Label", "/object/Sample/\(id)/members/labels"] {
      let page = try browser.get("\(address)?size=\(size)").body
      let count = page.matches(of: /<th scope="row">/).count
      #expect(Int(size) == nil ? count <= 200 : count == 200, "\(address): \(count)")
      #expect(page.contains("rel=\"next\""), "\(address)")
    }
  }

  @Test func `shows the plan of a fetch without the values of its condition`() throws {
    let page = try browser.get("/entity/Sample?where=text%20%3D%20%27plain%27&plan=1")
    #expect(page.body.contains("index: text (values)"))
    #expect(
      try #require(page.body.firstMatch(of: /<pre class="plan">([^<]*)/)).output.1
        .contains("plain") == false)
  }

  @Test func `marks the mistake in a condition`() throws {
    let page = try browser.get("/entity/Sample?where=count%20%3E%20%3E%203")
    #expect(page.status == 422)
    #expect(page.body.contains("count &gt; <mark>&gt;</mark> 3"))
  }

  @Test(arguments: [
    "(", "count >", "nothing = 1", "name MATCHES '('", "ANY count > 1", "count = 'x'", "%@", "%K",
    "$x = 1", "'", "\"", "\u{0}", "<script>", "SUBQUERY(held, $x, $x", "count = 1 OR", "held = 1",
    "blob = 'x'", "scratch = 'x'", String(repeating: "(", count: 5_000),
    String(repeating: "NOT ", count: 5_000) + "count = 1",
  ])
  func `answers a condition with a mistake with its explanation`(condition: String) throws {
    let page = try browser.get("/entity/Sample?where=" + BrowserProcess.escaped(condition))
    #expect(page.status == 422)
    #expect(page.body.contains("role=\"alert\""))
    #expect(!page.body.contains("<script>"))
    #expect(try browser.get("/entity/Sample").status == 200)
  }

  @Test(arguments: ["nothing", "-", "held", "country.name", "<b>", "blob", "-count,nothing"])
  func `answers an order that there is not with an explanation`(sort: String) throws {
    let page = try browser.get("/entity/Sample?sort=" + BrowserProcess.escaped(sort))
    #expect(page.status == 422, "\(sort)")
    #expect(page.body.contains("role=\"alert\""))
  }

  @Test func `follows relationships to their targets and members`() throws {
    let list = try browser.get("/entity/Sample?where=count%20%3D%200").body
    let address = try #require(list.firstMatch(of: /href="(\/object\/Sample\/\d+)"/)).output.1
    let object = try browser.get(String(address)).body
    let label = try #require(object.firstMatch(of: /href="(\/object\/Label\/\d+)"/)).output.1
    #expect(object.contains("&lt;b&gt;bold&lt;/b&gt; label"))
    let holders = try browser.get("\(label)/members/holders")
    #expect(holders.status == 200)
    #expect(holders.body.contains("3 members"))
    #expect(holders.body.contains("sample 0") && holders.body.contains("sample 4"))
    #expect(!holders.body.contains("sample 1"))
    let second = try browser.get("\(label)/members/holders?size=2&page=2").body
    #expect(second.contains("sample 4") && !second.contains("sample 0"))
  }

  @Test func `lets no value become a part of a page`() throws {
    let list = try browser.get("/entity/Sample").body
    let addresses = list.matches(of: /<th scope="row"><a href="([^"]+)"/).map {
      String($0.output.1)
    }
    #expect(addresses.count == 5)
    for page in try [list] + addresses.map({ try browser.get($0).body }) {
      #expect(!page.contains("<script>"))
      #expect(!page.contains("<img"))
      #expect(!page.contains("<b>"))
      let unsafe = page.unicodeScalars.filter {
        ($0.value < 0x20 && $0 != "\n") || $0.value == 0x202E || $0.value == 0x7F
      }
      #expect(unsafe.isEmpty)
    }
    #expect(list.contains("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&gt;&lt;img src=x"))
    #expect(list.contains("\\u{202e}txt.exe\\u{0}\\u{1b}[31m"))
  }

  @Test func `cuts a long text, and gives it whole as a file`() throws {
    let list = try browser.get("/entity/Sample?where=count%20%3D%204").body
    #expect(list.utf8.count < 50_000)
    let address = try #require(list.firstMatch(of: /href="(\/object\/Sample\/\d+)"/)).output.1
    let object = try browser.get(String(address)).body
    #expect(object.utf8.count < 100_000)
    #expect(object.contains("Save all 1,000,000 bytes"))
    let file = try browser.get("\(address)/value/text")
    #expect(file.bytes.count == 1_000_000)
    #expect(file.headers["content-type"] == "application/octet-stream")
    #expect(file.headers["content-disposition"]?.hasPrefix("attachment") == true)
  }

  @Test func `tells an absent value from an empty one`() throws {
    let list = try browser.get("/entity/Sample?where=count%20%3D%201").body
    #expect(list.contains("aria-label=\"no value\""))
    #expect(!list.contains(">empty<"))
  }

  @Test(arguments: [
    "/entity/Nothing", "/entity/Sample/more", "/object/Sample/999999", "/object/Sample/x",
    "/object/Nothing/1", "/object/Sample/1/members/name", "/object/Sample/1/members/nothing",
    "/object/Sample/1/value/nothing", "/object/Sample/1/value/held", "/object/Sample/0",
    "/object/Sample/18446744073709551615", "/nothing", "/history/x", "/%00", "/entity/%3Cb%3E",
  ])
  func `says that a page does not exist`(address: String) throws {
    let page = try browser.get(address)
    #expect(page.status == 404, "\(address)")
    #expect(!page.body.contains("<b>"))
  }

  @Test func `says that no history is kept`() throws {
    let page = try browser.get("/history")
    #expect(page.status == 200)
    #expect(page.body.contains("The store keeps no history."))
  }

  @Test func `answers HEAD with the head of the page alone`() throws {
    let cookie = try #require(browser.cookie)
    let answer = try browser.send(
      "HEAD / HTTP/1.1\r\nHost: localhost:\(browser.port)\r\nCookie: \(cookie)\r\n\r\n")
    #expect(answer.status == 200)
    #expect(answer.bytes.isEmpty)
  }
}
