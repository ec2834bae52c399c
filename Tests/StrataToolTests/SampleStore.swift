// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTestSupport

/// A value that is stored encoded.
struct Spot: Codable, Sendable, Equatable {
  var x: Double
  var label: String
}

/// An object with an attribute of every type, and relationships of every storage.
@Entity class Sample: ManagedObject {
  @Attribute(.unique) var name: String
  var count: Int
  var bool: Bool?
  var int8: Int8?
  var int16: Int16?
  var int32: Int32?
  @Attribute(.indexed) var int64: Int64?
  var uint8: UInt8?
  var uint16: UInt16?
  var uint32: UInt32?
  var uint64: UInt64?
  var float: Float?
  @Attribute(.indexed) var double: Double?
  var decimal: Decimal?
  @Attribute(.indexed) var text: String?
  var data: Data?
  var date: Date?
  var uuid: UUID?
  var url: URL?
  var spot: Spot?
  @Attribute(.external) var blob: Data?
  @Attribute(.transient) var scratch: String?
  var parent: Sample?
  var wearer: Label?
  @Relationship(inverse: \Sample.parent) var children: OrderedToMany<Sample>
  @Relationship(.symmetric) var friends: ToMany<Sample>
  @Relationship(inverse: \Label.samples) var labels: OrderedToMany<Label>
  @Relationship(inverse: \Label.holders) var held: ToMany<Label>
  var marks: ToMany<Label>
}

@Entity final class RareSample: Sample {
  var rarity: Int?
}

@Entity final class Label: ManagedObject {
  var title: String
  var samples: OrderedToMany<Sample>
  var holders: ToMany<Sample>
  @Relationship(inverse: \Sample.wearer) var worn: Sample?
}

/// Stores of samples.
enum SampleStore {
  static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(Sample.self, RareSample.self, Label.self)
  }

  /// Makes a store with random samples.
  static func make(at url: URL, count: Int, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let coordinator = try PersistentStoreCoordinator(
      at: url, model: model(), durability: .none)
    let context = ManagedObjectContext(parent: coordinator)
    let labels = (0..<max(1, count / 3)).map { index in
      let label = Label(context: context)
      label.title = "label \(index)"
      return label
    }
    var samples: [Sample] = []
    for index in 0..<count {
      let sample =
        index.isMultiple(of: 4) ? RareSample(context: context) : Sample(context: context)
      sample.name = "sample \(index)"
      sample.count = index
      fill(sample, &random)
      samples.append(sample)
    }
    try context.save()
    for sample in samples {
      if Bool.random(using: &random) { sample.parent = samples.randomElement(using: &random) }
      if Bool.random(using: &random) { sample.wearer = labels.randomElement(using: &random) }
      for friend in samples.shuffled(using: &random).prefix(2) { sample.friends.insert(friend) }
      sample.labels.append(contentsOf: labels.shuffled(using: &random).prefix(3))
      for label in labels.shuffled(using: &random).prefix(2) { sample.held.insert(label) }
      for label in labels.shuffled(using: &random).prefix(2) { sample.marks.insert(label) }
    }
    for sample in samples {
      sample.children.replace(with: sample.children.shuffled(using: &random))
    }
    for label in labels { label.samples.replace(with: label.samples.shuffled(using: &random)) }
    // Serials with gaps.
    for sample in samples where Int.random(in: 0..<10, using: &random) == 0 {
      context.delete(sample)
    }
    try context.save()
  }

  private static func fill(_ sample: Sample, _ random: inout SeededGenerator) {
    func some<Value>(_ values: [Value]) -> Value? {
      Int.random(in: 0..<5, using: &random) == 0 ? nil : values.randomElement(using: &random)
    }
    sample.bool = some([true, false])
    sample.int8 = some([.min, -1, 0, 7, .max])
    sample.int16 = some([.min, -1, 0, 7, .max])
    sample.int32 = some([.min, -1, 0, 7, .max])
    sample.int64 = some([.min, -1, 0, 1 << 53 + 1, .max])
    sample.uint8 = some([0, 7, .max])
    sample.uint16 = some([0, 7, .max])
    sample.uint32 = some([0, 7, .max])
    sample.uint64 = some([0, 1 << 53 + 1, .max])
    sample.float = some([0, -0.0, 0.1, .infinity, .nan, .leastNonzeroMagnitude, 3.4e38])
    sample.double = some(
      [0, -0.0, 0.1, -.infinity, .nan, .leastNonzeroMagnitude, 1e300, 1 / 3, 100])
    sample.decimal = some(
      [
        0, Decimal(string: "12345678901234567890123456789012345678")!, .nan,
        Decimal(string: "-0.00000000000000000000000000000000001")!,
        Decimal(string: "1e120")!, Decimal(string: "-99.95")!, 1_000,
      ])
    sample.text = some(
      [
        "", "plain", "a \"quoted\" text, with commas\nand lines\r\n", "\u{1B}[31mred\u{7}",
        "\u{0}\u{85}\u{202E}\u{2028}", "Lavāsān 🏔️ é", "\\u0041",
      ])
    sample.data = some([Data(), Data([0, 255, 10]), Data((0..<255).map { UInt8($0) })])
    sample.date = some(
      [
        Date(timeIntervalSinceReferenceDate: 0), Date(timeIntervalSince1970: 1_234_567_890.123),
        .distantPast, .distantFuture, Date(timeIntervalSinceReferenceDate: 1e18),
      ])
    sample.uuid = some([UUID(uuidString: "00000000-0000-0000-0000-000000000001")!])
    sample.url = some([URL(string: "https://example.org/a?b=c%20d#e")!, URL(string: "mailto:a@b")!])
    sample.spot = some([Spot(x: 0.5, label: "hier"), Spot(x: .infinity, label: "\"")])
    sample.blob = some([Data(), Data(repeating: 7, count: 70_000)])
    sample.scratch = "never stored"
    (sample as? RareSample)?.rarity = some([1, 2])
  }
}
