// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport
import Testing

enum Colour: String { case red, green }
enum Size: Int, Codable {
  case small = 1
  case large = 2
}
enum Shape: String, AttributeValue { case round, square }

struct Address: Codable, Sendable, Equatable {
  var street: String
  var number: Int
}

@Entity final class Sample: ManagedObject {
  var bool: Bool = true
  var int: Int = -1
  var int8: Int8 = -8
  var int16: Int16 = -16
  var int32: Int32 = -32
  var int64: Int64 = -64
  var uint: UInt = 1
  var uint8: UInt8 = 8
  var uint16: UInt16 = 16
  var uint32: UInt32 = 32
  var uint64: UInt64 = 64
  var double: Double = 1.5
  var float: Float = 2.5
  var decimal: Decimal = 3
  var string: String = "text"
  var data: Data = Data([1, 2, 3])
  var date: Date = Date(timeIntervalSinceReferenceDate: 4)
  var uuid: UUID?
  var url: URL?
  var colour: Colour = .green
  var size: Size = .large
  var shape: Shape = .square
  var address: Address = Address(street: "Main", number: 9)
  var noColour: Colour?
  var noSize: Size?
  var noShape: Shape?
  var noAddress: Address?
  var noInt: Int?
  var noString: String?
  var noDate: Date?
  var tags: [String] = []
  var unset: String
}

@Suite struct `Attributes of every type` {
  @Test func `are compared with optional values, and always differ from nil`() throws {
    let container = try PersistentContainer(inMemory: ManagedObjectModel(Sample.self))
    try container.root.performAndWait { context in
      Sample(context: context).colour = .red
      let (int, colour, size, shape): (Int?, Colour?, Size?, Shape?) = (-1, .red, .large, .square)
      let equal = Sample.where {
        $0.int == int && $0.colour == colour && $0.size == size && $0.shape == shape
      }
      let (noInt, noColour, noSize, noShape): (Int?, Colour?, Size?, Shape?) = (nil, nil, nil, nil)
      let none = Sample.where {
        $0.int == noInt || $0.colour == noColour || $0.size == noSize || $0.shape == noShape
      }
      let all = Sample.where {
        $0.int != noInt && $0.colour != noColour && $0.size != noSize && $0.shape != noShape
      }
      let counts = try [equal, none, all].map { try context.count($0) }
      #expect(counts == [1, 0, 1])
    }
  }

  @Test func `begin with their defaults and keep set values, through the disk`() async throws {
    let directory = try TemporaryDirectory()
    let model = try ManagedObjectModel(Sample.self)
    let url = directory.file("samples.strata")
    let uuid = UUID()
    let id = try await {
      let container = try PersistentContainer(at: url, model: model, durability: .none)
      return try await container.root.perform { context in
        let sample = Sample(context: context)
        #expect(sample.bool && sample.int == -1 && sample.string == "text")
        #expect(sample.colour == .green && sample.size == .large && sample.shape == .square)
        #expect(sample.address == Address(street: "Main", number: 9))
        #expect(sample.noColour == nil && sample.noAddress == nil && sample.noInt == nil)
        #expect(sample.unset == "" && sample.tags.isEmpty)
        sample.bool = false
        sample.int = .min
        sample.int8 = .min
        sample.int16 = .min
        sample.int32 = .min
        sample.int64 = .min
        sample.uint = .max
        sample.uint8 = .max
        sample.uint16 = .max
        sample.uint32 = .max
        sample.uint64 = .max
        sample.double = -.infinity
        sample.float = .greatestFiniteMagnitude
        sample.decimal = Decimal(string: "-123456789.987654321") ?? 0
        sample.string = String(repeating: "ā", count: 100_000)
        sample.data = Data(repeating: 7, count: 70_000)
        sample.date = Date(timeIntervalSinceReferenceDate: -0.25)
        sample.uuid = uuid
        sample.url = URL(string: "https://example.com/a?b=c")
        sample.colour = .red
        sample.size = .small
        sample.shape = .round
        sample.address.number = 10
        sample.noColour = .red
        sample.noSize = .small
        sample.noShape = .round
        sample.noAddress = Address(street: "Side", number: 1)
        sample.noInt = 0
        sample.noString = ""
        sample.tags = ["a", "b"]
        try context.save()
        return sample.objectID
      }
    }()
    let container = try PersistentContainer(at: url, model: model, durability: .none)
    try await container.root.perform { context in
      let sample = try context.existingObject(Sample.self, with: id)
      #expect(!sample.bool)
      #expect(sample.int == .min && sample.int8 == .min && sample.int16 == .min)
      #expect(sample.int32 == .min && sample.int64 == .min)
      #expect(sample.uint == .max && sample.uint8 == .max && sample.uint16 == .max)
      #expect(sample.uint32 == .max && sample.uint64 == .max)
      #expect(sample.double == -.infinity && sample.float == .greatestFiniteMagnitude)
      #expect(sample.decimal == Decimal(string: "-123456789.987654321"))
      #expect(sample.string.count == 100_000 && sample.data == Data(repeating: 7, count: 70_000))
      #expect(sample.date == Date(timeIntervalSinceReferenceDate: -0.25))
      #expect(sample.uuid == uuid && sample.url?.query == "b=c")
      #expect(sample.colour == .red && sample.size == .small && sample.shape == .round)
      #expect(sample.address == Address(street: "Main", number: 10))
      #expect(sample.noColour == .red && sample.noSize == .small && sample.noShape == .round)
      #expect(sample.noAddress == Address(street: "Side", number: 1))
      #expect(sample.noInt == 0 && sample.noString == "" && sample.noDate == nil)
      #expect(sample.tags == ["a", "b"])
      sample.noAddress = nil
      sample.noInt = nil
      sample.noColour = nil
      try context.save()
      context.reset()
      let again = try context.existingObject(Sample.self, with: id)
      #expect(again.noAddress == nil && again.noInt == nil && again.noColour == nil)
    }
  }

  @Test func `that are transient are tracked and pushed, and never stored`() async throws {
    let container = try geography()
    let worker = container.newBackgroundContext()
    let id = try await worker.perform { context in
      let city = context.city("A")
      city.note = "only here"
      try context.save()
      return city.objectID
    }
    #expect(
      try await container.root.perform { try $0.existingObject(City.self, with: id).note }
        == "only here")
    try await container.root.save()
    let other = ContextQueue(parent: container.coordinator)
    #expect(try await other.perform { try $0.existingObject(City.self, with: id).note } == nil)
  }

  @Test func `that have no zero need a default`() {
    let entity = EntityDescription(
      entity: "Bad", of: Sample.self,
      properties: [.attribute("colour", \Sample.colour, as: Colour.self)])
    #expect(throws: ModelError.missingDefault(entity: "Bad", property: "colour")) {
      try ManagedObjectModel(entities: [entity])
    }
  }
}
