// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataLMDB
import StrataModel
import StrataRecord
import StrataStore
import StrataTestSupport
import Synchronization
import Testing

@Suite struct `Serials` {
  @Test(arguments: StoreKind.allCases)
  func `are given out once, over blocks and threads`(_ kind: StoreKind) throws {
    try kind.withStore { store in
      let all = Mutex<Set<UInt64>>([])
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        let own = (0..<20_000).map { _ in store.nextSerial() }
        all.withLock { $0.formUnion(own) }
      }
      let serials = all.withLock { $0 }
      #expect(serials.count == 80_000)
      #expect(serials.allSatisfy { $0 > 0 && $0 <= ObjectKey.serialMax })
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `are given out several at a time, as many as there are`(_ kind: StoreKind) throws {
    try kind.withStore { store in
      let all = Mutex<[Range<UInt64>]>([])
      DispatchQueue.concurrentPerform(iterations: 4) { thread in
        for round in 0..<1_000 {
          let countMax = 1 + (round + thread) % 64
          let taken = store.takeSerials(upTo: countMax)
          #expect(1...countMax ~= taken.count)
          all.withLock { $0.append(taken) }
        }
      }
      let taken = all.withLock { $0 }.sorted { $0.lowerBound < $1.lowerBound }
      #expect(zip(taken, taken.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound })
    }
  }

  @Test func `of two stores on one file never meet, nor those after reopening`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.file("store").path
    var seen: Set<UInt64> = []
    for _ in 0..<3 {
      let stores = try (0..<2).map { _ in
        try LMDBStore.open(at: path, model: Atlas.model(), durability: .none)
      }
      for store in stores {
        for _ in 0..<1_000 { #expect(seen.insert(store.nextSerial()).inserted) }
      }
      for store in stores { store.close() }
    }
  }

  /// As after a restored backup whose counter is behind.
  @Test func `begin above the highest record`() throws {
    let store = try LMDBStore.inMemory(model: Atlas.model())
    var edit = Edit(store)
    let entity = store.schema.of(Atlas.city).number
    edit.insert(Atlas.city, key: ObjectKey(entity: entity, serial: 5_000_000))
    try edit.save()
    #expect(store.nextSerial() > 5_000_000)
  }

  /// As those of objects that are made while the store cannot write.
  @Test(arguments: [(nil, 7), (1, 70_000)] as [(UInt64?, UInt64)])
  func `that could not be reserved are given to no other object`(
    reserved: UInt64?, unreserved: UInt64
  ) throws {
    let folder = try TemporaryDirectory()
    func open() throws -> LMDBStore {
      try LMDBStore.open(
        at: folder.file("store").path, model: Atlas.model(), durability: .none)
    }
    let store = try open()
    if let reserved {
      var edit = Edit(store)
      #expect(edit.insert(Atlas.city).serial == reserved)
      try edit.save()
    }
    let key = ObjectKey(entity: store.schema.of(Atlas.city).number, serial: unreserved)
    var first = Edit(store)
    first.insert(Atlas.city, key: key)
    try first.save()
    var second = Edit(store)
    try second.delete(key)
    try second.save()
    store.close()
    let reopened = try open()
    // The rest of the block may be of objects that are not saved yet.
    #expect(reopened.nextSerial() == unreserved + 65_536)
    reopened.close()
  }

  @Test func `that have run out are those of no object, and such objects cannot be saved`() throws {
    let store = try LMDBStore.inMemory(model: Atlas.model())
    let city = store.schema.of(Atlas.city).number
    var first = Edit(store)
    first.insert(Atlas.city, key: ObjectKey(entity: city, serial: 1))
    // The last one of the store's range.
    first.insert(Atlas.city, key: ObjectKey(entity: city, serial: 1 << 40 - 1))
    try first.save()
    let serials = (0..<70_000).map { _ in store.nextSerial() }
    #expect(Set(serials).count == serials.count)
    #expect(serials.allSatisfy { 1 << 47 <= $0 && $0 <= ObjectKey.serialMax })
    var edit = Edit(store)
    edit.insert(Atlas.city, key: ObjectKey(entity: city, serial: serials[0]))
    #expect {
      try edit.save()
    } throws: {
      if case StoreError.serialsExhausted = $0 { true } else { false }
    }
  }

  /// Objects of an exhausted store have other serials, and can never be saved.
  @Test func `of a full store are those of objects that can be saved`() throws {
    let folder = try TemporaryDirectory()
    let store = try LMDBStore.open(
      at: folder.file("store").path, model: Atlas.model(), durability: .none,
      byteCountMax: 1 << 20)
    let city = store.schema.of(Atlas.city).number
    let name = PropertyValue.string(String(repeating: "x", count: 500))
    // Until it is let go, no page is free again.
    var snapshot: (any Snapshot)? = try store.snapshot()
    var (serial, isFull) = (UInt64(1), false)
    while !isFull {
      var edit = Edit(store)
      edit.insert(Atlas.city, ["name": name], key: ObjectKey(entity: city, serial: serial))
      do { try edit.save() } catch StoreError.storeFull { isFull = true }
      serial += 1
    }
    // A reservation needs fewer pages than a save.
    var canReserve = true
    while canReserve {
      do {
        try store.fillSerials()
        _ = store.takeSerials(upTo: 65_536)
      } catch StoreError.storeFull { canReserve = false }
    }
    let blocks = (0..<6).map { _ in store.takeSerials(upTo: 65_536) }
    #expect(blocks.allSatisfy { $0.upperBound <= 1 << 40 })
    #expect(snapshot != nil)
    snapshot = nil
    var deletion = Edit(store)
    try deletion.delete(ObjectKey(entity: city, serial: 1))
    try deletion.save()
    var insertion = Edit(store)
    insertion.insert(Atlas.city, key: ObjectKey(entity: city, serial: blocks[5].lowerBound))
    try insertion.save()
    store.close()
  }

  /// Each value is that of a damaged counter.
  @Test(arguments: [0, 1 << 40 - 1, 1 << 47, 1 << 48 - 1, 1 << 48, .max])
  func `of a damaged counter make no object that is saved, and nothing traps`(
    counter: UInt64
  ) throws {
    let folder = try TemporaryDirectory()
    let path = folder.file("store").path
    let store = try LMDBStore.open(at: path, model: Atlas.model(), durability: .none)
    let environment = try environment(at: path)
    try setCounter(counter, in: environment)
    let city = store.schema.of(Atlas.city).number
    var edit = Edit(store)
    let serials = (0..<70_000).map { _ in store.nextSerial() }
    #expect(Set(serials).count == serials.count)
    edit.insert(Atlas.city, key: ObjectKey(entity: city, serial: serials[69_999]))
    #expect {
      try edit.save()
    } throws: { error in
      switch error {
      // Only this one may be that of a whole store.
      case StoreError.serialsExhausted: counter == 1 << 40 - 1
      case StoreError.damaged: counter != 1 << 40 - 1
      default: false
      }
    }
  }

  /// The counter is damaged only while the first object is inserted, as if it could not be read.
  @Test func `that a store could not give refuse a save, and the next object has one`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.file("store").path
    let store = try LMDBStore.open(at: path, model: Atlas.model(), durability: .none)
    let environment = try environment(at: path)
    try setCounter(0, in: environment)
    var edit = Edit(store)
    #expect(edit.insert(Atlas.city).serial >= ObjectKey.unsavedSerialMin)
    try setCounter(1, in: environment)
    #expect {
      try edit.save()
    } throws: {
      if case StoreError.serialsUnreserved = $0 { true } else { false }
    }
    var again = Edit(store)
    #expect(again.insert(Atlas.city).serial == 1)
    try again.save()
    store.close()
  }

  private func environment(at path: String) throws -> Environment {
    var options = EnvironmentOptions()
    options.durability = .none
    return try Environment.open(at: path, options: options)
  }

  /// Writes the counter of serials that the catalog has.
  private func setCounter(_ counter: UInt64, in environment: Environment) throws {
    try environment.writeSync { transaction in
      try withUnsafeBytes(of: counter.littleEndian) { try transaction.setNote("#serial", to: $0) }
    }
  }

  /// The reservation and the save are enqueued while the writer is held, so that they are one
  /// group.
  @Test func `that have run out fail no save of their group`() throws {
    let store = try LMDBStore.inMemory(model: Atlas.model())
    let city = store.schema.of(Atlas.city).number
    let country = store.schema.of(Atlas.country).number
    var last = Edit(store)
    // The last one of the store's range.
    last.insert(Atlas.city, key: ObjectKey(entity: city, serial: 1 << 40 - 1))
    try last.save()
    let (isHeld, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    var holding = Edit(store)
    holding.insert(Atlas.country, key: ObjectKey(entity: country, serial: 1))
    store.commit(holding.changeSet) { _ in
      isHeld.signal()
      mayGoOn.wait()
    }
    isHeld.wait()
    let isDone = DispatchGroup()
    isDone.enter()
    Thread.detachNewThread {
      _ = store.nextSerial()
      isDone.leave()
    }
    Thread.sleep(forTimeInterval: 0.1)
    let isSaved = Mutex(false)
    var edit = Edit(store)
    edit.insert(Atlas.city, key: ObjectKey(entity: city, serial: 1))
    isDone.enter()
    store.commit(edit.changeSet) { result in
      isSaved.withLock { $0 = (try? result.get()) != nil }
      isDone.leave()
    }
    mayGoOn.signal()
    isDone.wait()
    #expect(isSaved.withLock { $0 })
  }
}
