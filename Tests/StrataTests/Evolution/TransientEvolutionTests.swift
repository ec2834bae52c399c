// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

/// Transient attributes, one of which another entity has as a stored one.
private enum Former {
  @Entity
  final class Sensor: ManagedObject {
    var name: String
    @Attribute(.transient) var level: Int = 0
    @Attribute(.transient) var image: Data?
    @Attribute(.transient) var count: Int16 = 0
  }

  @Entity
  final class Meter: ManagedObject {
    var name: String
    var level: String
  }

  static func model() throws -> ManagedObjectModel { try .init(Sensor.self, Meter.self) }
}

/// The attributes are stored, of other types.
private enum Stored {
  @Entity
  final class Sensor: ManagedObject {
    var name: String
    @Attribute(.indexed) var level: String = "none"
    @Attribute(.external) var image: Data?
    var count: Int = 7
  }

  @Entity
  final class Meter: ManagedObject {
    var name: String
    var level: String
  }

  static func model() throws -> ManagedObjectModel { try .init(Sensor.self, Meter.self) }
}

/// A superentity's attribute continues the transient one and the stored one.
private enum Merged {
  @Entity(isAbstract: true)
  class Device: ManagedObject {
    var name: String
    @Attribute(.indexed) var level: String = "none"
  }

  @Entity
  final class Sensor: Device {
    @Attribute(.transient) var image: Data?
    var count: Int16 = 7
  }

  @Entity final class Meter: Device {}

  static func model() throws -> ManagedObjectModel { try .init(Sensor.self, Meter.self) }
}

private func open(_ url: URL, _ model: ManagedObjectModel) throws -> PersistentContainer {
  try PersistentContainer(at: url, model: model, durability: .none)
}

@Suite struct `A transient attribute that becomes a stored one` {
  private func makeStore(at url: URL) throws {
    try open(url, Former.model()).root.performAndWait { context in
      for number in 0..<10 {
        let sensor = Former.Sensor(context: context)
        (sensor.name, sensor.level, sensor.count) = ("sensor \(number)", number, 3)
        sensor.image = Data([1, 2])
        let meter = Former.Meter(context: context)
        (meter.name, meter.level) = ("meter \(number)", "level \(number)")
      }
      try context.save()
    }
  }

  @Test func `may have another type`() throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    try makeStore(at: url)
    for _ in 0..<2 {
      try open(url, Stored.model()).root.performAndWait { context in
        let sensors = try context.fetch(Stored.Sensor.where { $0.level == "none" })
        #expect(sensors.count == 10 && sensors.allSatisfy { $0.count == 7 && $0.image == nil })
        #expect(Set(sensors.map(\.name)).count == 10)
      }
    }
  }

  @Test func `may become one with a stored one of another entity`() throws {
    let folder = try TemporaryDirectory()
    let url = folder.file("store")
    try makeStore(at: url)
    for _ in 0..<2 {
      try open(url, Merged.model()).root.performAndWait { context in
        for (level, count) in [("none", 10), ("level 7", 1), ("level 10", 0)] {
          let devices = try context.fetch(Merged.Device.where { $0.level == level })
          #expect(devices.count == count)
        }
        let sensors = try context.fetch(Merged.Sensor.all)
        #expect(sensors.allSatisfy { $0.count == 7 })
      }
    }
  }
}
