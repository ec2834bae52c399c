// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataLMDB
import StrataModel
import StrataRecord
import StrataStore
import StrataTestSupport
import Testing

/// A store with one city, and its file open below it.
private struct Damageable {
  let folder: TemporaryDirectory
  let store: LMDBStore
  let city: ObjectKey
  let environment: Environment

  init() throws {
    folder = try TemporaryDirectory()
    let path = folder.file("store").path
    store = try LMDBStore.open(at: path, model: Atlas.model(), durability: .none)
    var edit = Edit(store)
    city = edit.insert(Atlas.city, ["name": .string("a"), "population": .int(1)])
    try edit.save()
    var options = EnvironmentOptions()
    options.durability = .none
    environment = try Environment.open(at: path, options: options)
  }

  /// Replaces the first entry of a tree.
  func replace(
    in name: String, _ change: @escaping @Sendable ([UInt8], [UInt8]) -> ([UInt8], [UInt8])
  ) throws {
    try environment.writeSync { transaction in
      guard let tree = try transaction.tree(named: name) else { throw Absent() }
      let (key, value) = try {
        var cursor = try transaction.cursor(in: tree)
        guard try cursor.first() else { throw Absent() }
        return ([UInt8](cursor.key), [UInt8](cursor.value))
      }()
      let (newKey, newValue) = change(key, value)
      try key.withUnsafeBytes { _ = try transaction.delete($0, in: tree) }
      try newKey.withUnsafeBytes { key in
        try newValue.withUnsafeBytes { try transaction.put(key, $0, in: tree) }
      }
    }
  }

  var cityTree: String { "r\(city.entity.rawValue)" }
}

private func isDamaged(_ error: any Error) -> Bool {
  if case StoreError.damaged = error { true } else { false }
}

@Suite struct `A damaged store` {
  @Test func `says so of each flipped bit of a record`() throws {
    let damageable = try Damageable()
    let byteCount = try Envelope.byteCount(for: damageable.store.stored(damageable.city).record)
    for bit in 0..<(byteCount * 8) {
      let flip: @Sendable ([UInt8], [UInt8]) -> ([UInt8], [UInt8]) = { key, value in
        var value = value
        value[bit / 8] ^= 1 << (bit % 8)
        return (key, value)
      }
      try damageable.replace(in: damageable.cityTree, flip)
      let snapshot = try damageable.store.snapshot()
      #expect { try snapshot.record(for: damageable.city) } throws: { isDamaged($0) }
      #expect {
        try snapshot.scanRecords(of: damageable.city.entity) { _, _, _ in .more }
      } throws: { isDamaged($0) }
      #expect("although the record would not pass") {
        let none = RecordTest { _ in false }
        _ = try snapshot.scanRecords(of: damageable.city.entity, passing: none) { _, _, _ in .more }
      } throws: { isDamaged($0) }
      try damageable.replace(in: damageable.cityTree, flip)
    }
    #expect(try damageable.store.value("name", of: damageable.city) == .string("a"))
  }

  @Test func `says so of a record under another's key, and of a short one`() throws {
    let damageable = try Damageable()
    try damageable.replace(in: damageable.cityTree) { key, value in
      (key.dropLast() + [key.last! &+ 1], value)
    }
    let moved = ObjectKey(entity: damageable.city.entity, serial: damageable.city.serial + 1)
    #expect { try damageable.store.snapshot().record(for: moved) } throws: { isDamaged($0) }
    try damageable.replace(in: damageable.cityTree) { key, _ in (key, [1, 2, 3]) }
    #expect { try damageable.store.snapshot().record(for: moved) } throws: { isDamaged($0) }
    try damageable.replace(in: damageable.cityTree) { _, value in ([7], value) }
    #expect {
      try damageable.store.snapshot().scanRecords(of: moved.entity) { _, _, _ in .more }
    } throws: { isDamaged($0) }
  }

  @Test func `refuses the save that would change a damaged record, and takes others`() throws {
    let damageable = try Damageable()
    let base = try damageable.store.stored(damageable.city)
    try damageable.replace(in: damageable.cityTree) { key, value in
      (key, value.dropLast() + [value.last! ^ 1])
    }
    var edit = Edit(damageable.store)
    edit.update(damageable.city, from: base, ["name": .string("b")])
    #expect { try edit.save() } throws: { isDamaged($0) }
    var other = Edit(damageable.store)
    other.insert(Atlas.city)
    try other.save()
  }

  @Test func `says so of a catalog that cannot be`() throws {
    for name in ["uuid", "model", "numbers", "version"] {
      let damageable = try Damageable()
      try damageable.environment.writeSync { transaction in
        guard let tree = try transaction.tree(named: "catalog") else { throw Absent() }
        let (key, value) = (Array(name.utf8), Array("{ }".utf8))
        try key.withUnsafeBytes { key in
          try value.withUnsafeBytes { try transaction.put(key, $0, in: tree) }
        }
      }
      let path = damageable.folder.file("store").path
      #expect(throws: StoreError.self, "\(name)") {
        let store = try LMDBStore.open(at: path, model: Atlas.model(), durability: .none)
        _ = try store.snapshot()
      }
    }
  }

  @Test(arguments: [
    #"{"entities":{"1":{"version":0,"earlier":[]}}}"#,
    #"{"entities":{"1":{"version":40000,"earlier":[]}}}"#,
    #"{"entities":{"1":{"version":2,"earlier":[]}}}"#,
    #"{"entities":{"1":{"version":1,"earlier":[{"version":1,"slots":[],"template":""}]}}}"#,
  ])
  func `says so of versions of layouts that the store cannot have had`(layouts: String) throws {
    let damageable = try Damageable()
    try damageable.environment.writeSync { transaction in
      guard let tree = try transaction.tree(named: "catalog") else { throw Absent() }
      let (key, value) = (Array("layouts".utf8), Array(layouts.utf8))
      try key.withUnsafeBytes { key in
        try value.withUnsafeBytes { try transaction.put(key, $0, in: tree) }
      }
    }
    let path = damageable.folder.file("store").path
    #expect {
      _ = try LMDBStore.open(at: path, model: Atlas.model(), durability: .none)
    } throws: {
      if case StoreError.damaged("catalog", "layouts", _) = $0 { true } else { false }
    }
  }

  @Test(arguments: ["lastEntity", "lastProperty"], [0, 65_535])
  func `says so of numbers that are not up to their last`(name: String, last: Int) throws {
    let damageable = try Damageable()
    try damageable.environment.writeSync { transaction in
      guard let tree = try transaction.tree(named: "catalog") else { throw Absent() }
      let key = Array("numbers".utf8)
      let former = try {
        var cursor = try transaction.cursor(in: tree)
        guard try key.withUnsafeBytes({ try cursor.seek(atOrAbove: $0) }) else { throw Absent() }
        return String(decoding: cursor.value, as: UTF8.self)
      }()
      let value = Array(
        former.replacing(try Regex("\"\(name)\":[0-9]+"), with: "\"\(name)\":\(last)").utf8)
      #expect(value != Array(former.utf8))
      try key.withUnsafeBytes { key in
        try value.withUnsafeBytes { try transaction.put(key, $0, in: tree) }
      }
    }
    let path = damageable.folder.file("store").path
    // Whether the model is the store's or a later one.
    for model in [try Atlas.model(), try ManagedObjectModel(entities: [])] {
      #expect {
        _ = try LMDBStore.open(at: path, model: model, durability: .none)
      } throws: {
        if case StoreError.damaged("catalog", "numbers", _) = $0 { true } else { false }
      }
    }
  }

  @Test(arguments: ["model", "numbers"])
  func `is none if its catalog has spaces between its members`(name: String) throws {
    let damageable = try Damageable()
    try damageable.environment.writeSync { transaction in
      guard let tree = try transaction.tree(named: "catalog") else { throw Absent() }
      let key = Array(name.utf8)
      let text = try key.withUnsafeBytes { try transaction.get($0, in: tree) }
      let value = Array(
        String(decoding: text ?? .init(start: nil, count: 0), as: UTF8.self)
          .replacing(",", with: ", ").utf8)
      try key.withUnsafeBytes { key in
        try value.withUnsafeBytes { try transaction.put(key, $0, in: tree) }
      }
    }
    damageable.store.close()
    let path = damageable.folder.file("store").path
    let store = try LMDBStore.open(at: path, model: Atlas.model(), durability: .none)
    #expect(try store.value("name", of: damageable.city) == .string("a"))
  }

  @Test func `says so of a counter that cannot be`() throws {
    for bytes in [Array("{ }".utf8), [UInt8](repeating: 0xFF, count: 8)] {
      let damageable = try Damageable()
      try damageable.environment.writeSync { transaction in
        try bytes.withUnsafeBytes { try transaction.setNote("#generation", to: $0) }
      }
      let path = damageable.folder.file("store").path
      #expect {
        let store = try LMDBStore.open(at: path, model: Atlas.model(), durability: .none)
        _ = try store.snapshot()
      } throws: { error in
        if case StoreError.damaged("catalog", "#generation", _) = error { true } else { false }
      }
    }
  }

  @Test func `of a later format is not touched`() throws {
    let damageable = try Damageable()
    try damageable.environment.writeSync { transaction in
      guard let tree = try transaction.tree(named: "catalog") else { throw Absent() }
      let (key, value) = (Array("format".utf8), Array("Strata".utf8) + [10, 0])
      try key.withUnsafeBytes { key in
        try value.withUnsafeBytes { try transaction.put(key, $0, in: tree) }
      }
    }
    let url = damageable.folder.file("store")
    let before = try Data(contentsOf: url)
    #expect {
      _ = try LMDBStore.open(at: url.path, model: Atlas.model(), durability: .none)
    } throws: { if case StoreError.unsupportedFormat(10) = $0 { true } else { false } }
    #expect(try Data(contentsOf: url) == before)
  }
}
