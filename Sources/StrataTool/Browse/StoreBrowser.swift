// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataPrimitives

/// Answers the requests for pages of a store: checks their heads before it lets the server read a
/// body, finds the page, and turns errors into pages. `PageAddress` lists the pages.
///
/// ## Isolation
/// Sendable: threads of several requests use it at the same time.
final class StoreBrowser: HTTPResponder {
  private let store: BrowsedStore
  private let access: BrowserAccess
  private let streamCount = CountedMutex(0)

  init(_ store: BrowsedStore, _ access: BrowserAccess) {
    (self.store, self.access) = (store, access)
  }

  func earlyResponse(to head: HTTPRequest) -> HTTPResponse? {
    do throws(HTTPRefusal) {
      try access.checkHost(of: head)
      if head.path.isEmpty, head.method == .get, access.redeems(head) {
        var response = HTTPResponse(seeOther: .store)
        response.add("Set-Cookie", access.cookie)
        return withHeaders(response)
      }
      try access.checkCookie(of: head)
      if head.method == .post {
        guard store.allowsChanges else {
          throw HTTPRefusal(
            .forbidden, "The store is browsed read-only. Start strata browse --allow-changes.")
        }
        try access.checkOrigin(of: head)
      }
      return nil
    } catch {
      return withHeaders(HTTPResponse(error))
    }
  }

  func response(to request: HTTPRequest) -> HTTPResponse {
    let revision = store.watch.revision
    do {
      if request.method == .post { try access.checkForm(of: request) }
      return withHeaders(try response(to: request, revision))
    } catch {
      let (status, text) = Self.explained(error)
      return withHeaders(show(Page.error(status, text), revision))
    }
  }

  private func withHeaders(_ response: HTTPResponse) -> HTTPResponse {
    var response = response
    for header in BrowserAccess.headers { response.add(header.0, header.1) }
    return response
  }

  private func show(_ page: Page, _ revision: Int) -> HTTPResponse {
    HTTPResponse(page.status, html: page.html(of: store, revision: revision))
  }

  /// The status and the text of an error. No text has a value of an object.
  private static func explained(_ error: any Error) -> (HTTPStatus, String) {
    switch error {
    case let refusal as HTTPRefusal: (refusal.status, refusal.reason)
    case let error as QueryError: (.unprocessable, error.description)
    case let error as PredicateFormatError: (.unprocessable, error.description)
    case let error as ContextError: (.unprocessable, error.description)
    case StoreError.storeBusy, StoreError.modelChanged: (.unavailable, "\(error)")
    case StoreError.historyNotKept, StoreError.historyTooOld, StoreError.foreignHistoryToken:
      (.notFound, "\(error)")
    case StoreError.readOnly: (.forbidden, "\(error)")
    default: (.serverError, "\(error)")
    }
  }

  // MARK: - Pages

  private func response(to request: HTTPRequest, _ revision: Int) throws -> HTTPResponse {
    if request.method == .post { return try changed(by: request, revision) }
    switch (request.path.first, request.path.count) {
    case (nil, _): return show(try StorePage(store: store).page(), revision)
    case ("browse.css", 1):
      return HTTPResponse(.ok, type: "text/css; charset=utf-8", Stylesheet.bytes)
    case ("browse.js", 1):
      return HTTPResponse(.ok, type: "text/javascript; charset=utf-8", Script.bytes)
    case ("events", 1): return events(request)
    case ("entity", 2):
      let list = ListRequest(try store.entity(request.path[1]), request.query)
      return show(try EntityPage(store: store, list: list).page(), revision)
    case ("history", 1):
      let before = request.query["before"].flatMap { UInt64($0) }
      return show(try HistoryPage(store: store, before: before).page(), revision)
    case ("history", 2):
      guard let number = UInt64(request.path[1]) else { throw Self.missing }
      let page = TransactionPage(store: store, number: number, query: request.query)
      return show(try page.page(), revision)
    case ("object", 3...5): return try object(request, revision)
    default: throw Self.missing
    }
  }

  private static let missing = HTTPRefusal(.notFound, "There is no such page.")

  private func object(_ request: HTTPRequest, _ revision: Int) throws -> HTTPResponse {
    let context = store.makeContext()
    let (object, page) = try objectPage(request, in: context)
    let response = try part(request, of: object, page, context, revision)
    // A property that cannot be read shows nothing; this throws the reason.
    _ = try context.existingObject(with: object.objectID)
    return response
  }

  /// The part of an object that the path asks for.
  private func part(
    _ request: HTTPRequest, of object: ManagedObject, _ page: ObjectPage,
    _ context: ManagedObjectContext, _ revision: Int
  ) throws -> HTTPResponse {
    let path = request.path.dropFirst(3)
    switch (path.first, path.count) {
    case (nil, _):
      let isForm = store.allowsChanges && request.query["edit"] != nil
      return show(try isForm ? page.form() : page.page(), revision)
    case ("members", 2):
      guard let relationship = page.entity.property(path[4])?.relationship,
        relationship.isToMany
      else { throw Self.missing }
      let members = MembersPage(
        store: store, object: object, relationship: relationship, query: request.query,
        context: context)
      return show(try members.page(), revision)
    case ("value", 2):
      guard let attribute = page.entity.property(path[4])?.attribute else { throw Self.missing }
      return file(try object.value(for: attribute.name), attribute.name, of: object.objectID)
    default: throw Self.missing
    }
  }

  private func objectPage(
    _ request: HTTPRequest, in context: ManagedObjectContext
  ) throws -> (ManagedObject, ObjectPage) {
    let object = try store.object(request.path[1], request.path[2], in: context)
    guard let entity = store.entity(of: object.objectID) else { throw Self.missing }
    return (
      object,
      ObjectPage(store: store, access: access, object: object, entity: entity, context: context)
    )
  }

  /// A value as a file, which a browser saves and does not show.
  private func file(_ value: PropertyValue, _ name: String, of id: ObjectID) -> HTTPResponse {
    let bytes: [UInt8]
    switch value {
    case .data(let data), .codable(let data): bytes = Array(data)
    default: bytes = Array(value.shownText.utf8)
    }
    var response = HTTPResponse(.ok, type: "application/octet-stream", .bytes(bytes))
    let file = PercentCoding.encode(
      "\(id.shownText).\(name)".replacingOccurrences(of: "/", with: "-"))
    response.add("Content-Disposition", "attachment; filename*=UTF-8''\(file)")
    return response
  }

  private func events(_ request: HTTPRequest) -> HTTPResponse {
    let events = ChangeEvents(request, store)
    return HTTPResponse(
      .ok, type: "text/event-stream",
      .stream { [self] write in
        let count = streamCount.withLock { count in
          count += 1
          return count
        }
        defer { streamCount.withLock { $0 -= 1 } }
        if count > ChangeEvents.countMax { return try ChangeEvents.postpone(write) }
        try events.write(write)
      })
  }

  // MARK: - Changes

  private func changed(by request: HTTPRequest, _ revision: Int) throws -> HTTPResponse {
    guard request.path.first == "object", 3...4 ~= request.path.count else { throw Self.missing }
    let context = store.makeContext()
    let (object, page) = try objectPage(request, in: context)
    switch request.path.dropFirst(3).first {
    case nil:
      let edit = AttributeEdit(request.form)
      var problems = try edit.apply(to: object, of: page.entity)
      guard problems.isEmpty else {
        context.rollback()
        return show(
          try page.form(
            edit, problems: problems, problem: "Nothing was saved.", .unprocessable), revision)
      }
      do {
        try context.save()
      } catch {
        problems = AttributeEdit.problems(in: error, of: object)
        let (_, text) = Self.explained(error)
        context.rollback()
        return show(
          try page.form(
            edit, problems: problems, problem: "Nothing was saved. \(text)", .unprocessable),
          revision)
      }
      store.watch.noteChange()
      return HTTPResponse(seeOther: .object(object.objectID))
    case "delete":
      context.delete(object)
      try context.save()
      store.watch.noteChange()
      return HTTPResponse(seeOther: .entity(page.entity.name))
    default: throw Self.missing
    }
  }
}

extension EntityDescription {
  /// The property of a name; nil if the entity does not have it.
  fileprivate func property(_ name: String) -> PropertyDescription? {
    slot(named: name).map { properties[$0] }
  }
}
