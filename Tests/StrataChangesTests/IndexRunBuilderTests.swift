// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataChanges
import StrataModel
import StrataRecord
import StrataTestSupport
import Testing

private final class Reading {}

@Suite struct `A builder of index runs` {
  private static let entity: EntitySchema? = {
    let reading = EntityDescription(
      "Reading", class: Reading.self,
      properties: [
        .attribute(AttributeDescription("count", type: .int64, options: [.indexed])),
        .attribute(AttributeDescription("level", type: .double, options: [.indexed])),
        .attribute(AttributeDescription("place", type: .string, options: [.indexed])),
        .attribute(AttributeDescription("isGood", type: .bool, options: [.indexed])),
        .attribute(AttributeDescription("bytes", type: .data, options: [.indexed])),
      ])
    guard let model = try? ManagedObjectModel(entities: [reading]) else { return nil }
    var numbers = SchemaNumbers()
    numbers.number(model)
    let schema = Schema(model: model, numbers: numbers, store: StoreIdentity(UUID()), version: 1)
    return numbers.number(ofEntity: "Reading").flatMap { schema.entity($0) }
  }()

  /// Values that many have, that begin alike, and of all lengths.
  private func values(_ random: inout SeededGenerator) -> [PropertyValue] {
    let bits = UInt64.random(in: .min ... .max, using: &random)
    let short = Int64(truncatingIfNeeded: bits) >> Int64.random(in: 0..<64, using: &random)
    let place = "place \(short)" + String(repeating: "\u{1}x", count: Int(bits % 5) * 40)
    let bytes = Data(repeating: UInt8(bits & 1), count: Int(bits >> 8 % 12))
    return [
      .int(short), .double(Double(short % 100) / 4), .string(place), .bool(bits & 1 == 0),
      .data(bytes),
    ].map { Int.random(in: 0...4, using: &random) == 0 ? .null : $0 }
  }

  private func entries(_ run: IndexRun) -> [[UInt8]] {
    run.entries.indices.map { run.withBytes(at: $0) { Array($0) } }
  }

  @Test(arguments: [true, false])
  func `sorts entries by their bytes, whether objects come in the order of their keys or not`(
    areInOrder: Bool
  ) throws {
    let entity = try #require(Self.entity)
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    #expect(entity.indexes.count == 5)
    for count in [1, 2, 20, 60, 300, 2_000] {
      var objects = (1...UInt64(count)).map {
        ObjectKey(
          entity: entity.number, serial: $0 * 16 + UInt64.random(in: 0...15, using: &random))
      }
      objects.sort()
      if !areInOrder { objects.shuffle(using: &random) }
      let records = objects.map { _ in
        var drafts = DraftArena()
        let draft = Draft.make(entity.layout, base: nil, in: &drafts)
        for (slot, value) in values(&random).enumerated() { draft.setValue(value, at: slot) }
        var arena = RecordArena()
        return draft.encode(into: &arena)
      }
      for index in entity.indexes {
        var builder = IndexRunBuilder(index, entity.layout, expecting: count)
        // Several blocks, as of more than 4 GiB.
        var divided = IndexRunBuilder(
          index, entity.layout, expecting: count, blockByteCountMax: 700)
        var expected: [[UInt8]] = []
        for (object, record) in zip(objects, records) {
          builder.append(object, record.start)
          divided.append(object, record.start)
          var entry: [UInt8] = []
          index.append(valueOf: record, entity.layout, to: &entry)
          KeyEncoder.append(objectKey: object, to: &entry)
          expected.append(entry)
        }
        expected.sort { $0.precedes($1) }
        let found = entries(builder.finished())
        #expect(found == expected, "slot \(index.slot) of \(count), seed \(seed)")
        #expect(divided.entryCount == count)
        let joined = entries(divided.finished())
        #expect(joined == expected, "slot \(index.slot) of \(count), divided, seed \(seed)")
        withExtendedLifetime(records) {}
      }
    }
  }
}
