// SPDX-License-Identifier: Apache-2.0
import ContextTestSupport
import Dispatch
import Foundation
import Strata
import Synchronization
import Testing

private typealias Kind = ManagedObjectContext.Message.Kind

@Suite struct `An observer of a context` {
  /// A parent, a child and a sibling of it.
  private struct Family: Sendable {
    let container: PersistentContainer
    let queue: ContextQueue
    let child: ContextQueue
    let sibling: ContextQueue

    init() throws {
      container = try geography()
      queue = container.newBackgroundContext()
      child = ContextQueue(parent: queue)
      sibling = container.newBackgroundContext()
    }

    var all: [ContextQueue] { [queue, container.root, child, sibling] }

    /// Has the context of `queue` post a message of `kind`.
    func provoke(_ kind: Kind) throws {
      try queue.performAndWait { context in
        context.city("A")
        switch kind {
        case .objectsDidChange: break
        case .willSave, .didSave: try context.save()
        case .didMerge:
          context.reporter.post(
            .didMerge,
            ChangedObjects(
              store: context.layer.schema.store, inserted: [], updated: [], deleted: []))
        }
      }
    }
  }

  @Test(arguments: Kind.allCases)
  private func `may enter any context, its own included, and read`(_ kind: Kind) throws {
    let family = try Family()
    let counts = Mutex<[Int]>([])
    let observer = Observer(kind, of: family.queue.layer) { _ in
      for queue in family.all {
        let count = try? queue.performAndWait { try $0.count(City.all) }
        counts.withLock { $0.append(count ?? -1) }
      }
    }
    try family.provoke(kind)
    let found = counts.withLock { $0 }
    #expect(found.count == 4)
    #expect(!found.contains(-1))
    #expect(found[0] == 1, "its own context shows what was done")
    withExtendedLifetime(observer) {}
  }

  @Test(arguments: Kind.allCases)
  private func `may insert in any context, its own included`(_ kind: Kind) throws {
    let family = try Family()
    let isFirst = Mutex(true)
    let observer = Observer(kind, of: family.queue.layer) { _ in
      guard
        isFirst.withLock({ wasFirst in
          defer { wasFirst = false }
          return wasFirst
        })
      else { return }
      for (index, queue) in family.all.enumerated() {
        do {
          try queue.performAndWait { _ = $0.city("from the observer \(index)") }
        } catch { Issue.record(error) }
      }
    }
    try family.provoke(kind)
    try family.queue.performAndWait { if $0.hasChanges { try $0.save() } }
    let names = try family.container.root.performAndWait { try $0.cityNames() }
    #expect(names == ["A", "from the observer 0", "from the observer 1"])
    withExtendedLifetime(observer) {}
  }

  @Test(arguments: [Kind.objectsDidChange, .didSave])
  private func `may save, its own context included`(_ kind: Kind) throws {
    let family = try Family()
    let saves = MessageLog(family.queue.layer)
    let observer = Observer(kind, of: family.queue.layer) { _ in
      for queue in family.all {
        do { try queue.performAndWait { try $0.save() } } catch { Issue.record(error) }
      }
    }
    try family.provoke(kind)
    try family.queue.performAndWait { try $0.save() }
    try family.container.root.performAndWait { try $0.save() }
    let reader = ContextQueue(parent: family.container.coordinator)
    #expect(try reader.performAndWait { try $0.cityNames() } == ["A"])
    #expect(saves.messages(.willSave).count == 1)
    #expect(saves.messages(.didSave).count == 1)
    withExtendedLifetime(observer) {}
  }

  @Test func `of willSave may not save the context that is being saved`() throws {
    let family = try Family()
    let errors = Mutex<[ContextError]>([])
    let observer = Observer(.willSave, of: family.queue.layer) { _ in
      do {
        try family.queue.performAndWait { try $0.save() }
      } catch let error as ContextError {
        errors.withLock { $0.append(error) }
      } catch { Issue.record(error) }
    }
    try family.provoke(.willSave)
    #expect(errors.withLock { $0 } == [.recursiveSave])
    let names = try family.container.root.performAndWait { try $0.cityNames() }
    #expect(names == ["A"])
    withExtendedLifetime(observer) {}
  }

  @Test(arguments: [Kind.objectsDidChange, .willSave, .didSave])
  private func `may roll its context back`(_ kind: Kind) throws {
    let family = try Family()
    let observer = Observer(kind, of: family.queue.layer) { _ in
      try? family.queue.performAndWait { $0.rollback() }
    }
    try family.provoke(kind)
    let isClean = try family.queue.performAndWait { !$0.hasChanges }
    #expect(isClean)
    let count = try family.container.root.performAndWait { try $0.count(City.all) }
    #expect(count == (kind == .didSave ? 1 : 0))
    withExtendedLifetime(observer) {}
  }

  @Test @MainActor func `on the main actor may enter queues and its own context`() throws {
    let container = try geography()
    let worker = container.newBackgroundContext()
    let counts = Mutex<[Int]>([])
    let observers = [Kind.objectsDidChange, .willSave, .didSave].map { kind in
      Observer(kind, of: container.viewContext.layer) { _ in
        MainActor.assumeIsolated {
          for queue in [container.root, worker] {
            let count = try? queue.performAndWait { try $0.count(City.all) }
            counts.withLock { $0.append(count ?? -1) }
          }
          let count = try? container.viewContext.count(City.all)
          counts.withLock { $0.append(count ?? -1) }
        }
      }
    }
    container.viewContext.city("A")
    container.viewContext.processPendingChanges()
    try container.viewContext.save()
    #expect(counts.withLock { $0 } == [0, 0, 1, 0, 0, 1, 1, 1, 1])
    withExtendedLifetime(observers) {}
  }

  /// One thread is in a's notification and wants b; another is in b and wants a.
  @Test(arguments: [Kind.objectsDidChange, .willSave, .didSave])
  private func `that would close a cycle of waiting threads is refused`(_ kind: Kind) throws {
    let container = try geography()
    let (a, b) = (container.newBackgroundContext(), container.newBackgroundContext())
    let refusals = Atomic(0)
    let (isInNotification, isInB) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let isOtherDone = DispatchSemaphore(value: 0)
    @Sendable func enter(_ queue: ContextQueue) {
      do {
        _ = try queue.performAndWait { try $0.count(City.all) }
      } catch ContextError.wouldDeadlock {
        refusals.add(1, ordering: .sequentiallyConsistent)
      } catch { Issue.record(error) }
    }
    let observer = Observer(kind, of: a.layer) { _ in
      isInNotification.signal()
      isInB.wait()
      enter(b)
    }
    Thread.detachNewThread {
      isInNotification.wait()
      try? b.performAndWait { _ in
        isInB.signal()
        enter(a)
      }
      isOtherDone.signal()
    }
    try a.performAndWait { context in
      context.city("A")
      if kind != .objectsDidChange { try context.save() }
    }
    isOtherDone.wait()
    #expect(refusals.load(ordering: .sequentiallyConsistent) == 1)
    withExtendedLifetime(observer) {}
  }
}
