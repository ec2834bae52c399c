// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataChanges
import StrataModel
import StrataRecord
import Testing

/// The lower parts of a context, made as a context makes them, but without one.
private struct Parts {
  let container: PersistentContainer
  let layer: ContextLayer
  let registry: ObjectRegistry
  let reporter: TurnReporter
  let work: UnitOfWork

  var schema: Schema { registry.schema }

  init() throws {
    container = try geography()
    let coordinator = container.coordinator
    layer = ContextLayer(parent: nil, lock: coordinator.layerLock, source: coordinator)
    registry = ObjectRegistry(schema: coordinator.schema, byteBudget: 1 << 20)
    reporter = TurnReporter(schema: coordinator.schema, layer: layer, confinement: .confined)
    work = UnitOfWork(registry: registry, reporter: reporter, coordinator: coordinator)
  }

  /// An overlay with one new city.
  func newCity() throws -> (key: ObjectKey, overlay: Overlay) {
    let initializer = work.initializerForInsert(City.self)
    let segment = Segment(
      changes: [
        initializer.key: .insert(
          initializer.binding.template, slots: initializer.binding.layout.placedSlots)
      ],
      links: LinkChanges(), schema: schema)
    return (initializer.key, Overlay([segment]))
  }
}

@Suite struct `The parts of a context work without one` {
  @Test func `a registry has one binding for each entity, and none for an unknown number`() throws {
    let registry = try Parts().registry
    let binding = registry.binding(ofNew: City.self)
    #expect(registry.binding(of: binding.entity.number) === binding)
    #expect(registry.binding(ofNew: Country.self) !== binding)
    #expect(registry.binding(of: EntityNumber(rawValue: 999)) == nil)
  }

  @Test func `bindings of a registry that was closed find no context`() throws {
    let registry = try Parts().registry
    let binding = registry.binding(ofNew: City.self)
    registry.close()
    #expect(binding.context == nil)
  }

  @Test func `a reporter throws the first error that it kept, once`() throws {
    struct Failure: Error, Equatable { let number: Int }
    let reporter = try Parts().reporter
    reporter.note(Failure(number: 1))
    #expect(reporter.attempt(orElse: 7) { throw Failure(number: 2) } == 7)
    #expect(throws: Failure(number: 1)) { try reporter.throwDeferredError() }
    try reporter.throwDeferredError()
  }

  @Test func `a reporter numbers the messages of each kind, beginning with one`() throws {
    let parts = try Parts()
    // Safety: the notifications are posted on this thread.
    nonisolated(unsafe) var numbers: [ManagedObjectContext.Message.Kind: [Int]] = [:]
    let names = ManagedObjectContext.Message.Kind.allCases.map(\.notificationName)
    let tokens = names.map {
      NotificationCenter.default.addObserver(forName: $0, object: parts.layer, queue: nil) {
        guard let message = ManagedObjectContext.Message($0) else { return }
        numbers[message.kind, default: []].append(message.number)
      }
    }
    defer { for token in tokens { NotificationCenter.default.removeObserver(token) } }
    let objects = try ChangedObjects()
    for kind in [.willSave, .didSave, .willSave] as [ManagedObjectContext.Message.Kind] {
      parts.reporter.post(kind, objects)
    }
    #expect(numbers == [.willSave: [1, 2], .didSave: [1]])
  }

  @Test func `a unit of work has changes as long as its overlay has any`() throws {
    let parts = try Parts()
    #expect(!parts.work.hasChanges)
    let (key, overlay) = try parts.newCity()
    parts.work.replaceWorking(overlay)
    #expect(parts.work.hasChanges)
    #expect(parts.work.keysOfPending == [key])
    parts.work.replaceWorking(Overlay())
    #expect(!parts.work.hasChanges)
  }

  @Test func `a unit of work lays its changes over the view of the turn`() throws {
    let parts = try Parts()
    parts.work.view = try ReadView.take(
      own: Overlay(), layer: parts.layer, source: parts.container.coordinator)
    let (key, overlay) = try parts.newCity()
    #expect(try parts.work.view?.exists(key) == false)
    parts.work.replaceWorking(overlay)
    #expect(try parts.work.view?.exists(key) == true)
  }

  @Test func `a reader shows one state until the view is dropped`() throws {
    let parts = try Parts()
    let reader = ContextReader(
      parts.work, layer: parts.layer, coordinator: parts.container.coordinator,
      sameIsolationParent: nil)
    let loader = ObjectLoader(reader)
    let merger = ContextMerger(reader, loader)
    let publisher = TurnPublisher(reader, merger)
    reader.connect(publisher, merger)
    let city = try reader.currentView()
    let id = try parts.container.root.performAndWait { context in
      let city = City(context: context)
      city.name = "Graz"
      try context.save()
      return city.objectID
    }
    #expect(try !city.exists(id.key))
    #expect(try !reader.currentView().exists(id.key))
    parts.work.view = nil
    #expect(try reader.currentView().exists(id.key))
  }
}
