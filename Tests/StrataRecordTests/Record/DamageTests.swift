// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
import StrataRecord
import StrataTestSupport
import Testing

/// Reads `damaged` as a record of `layout` in every way, if it passes validation. The bytes are at
/// the very end of an allocation, so that the sanitizer sees a read beyond them.
private func readAll(_ damaged: [UInt8], _ layout: RecordLayout) -> Bool {
  let memory = UnsafeMutableRawPointer.allocate(byteCount: damaged.count, alignment: 1)
  defer { memory.deallocate() }
  let bytes = UnsafeMutableRawBufferPointer(start: memory, count: damaged.count)
  bytes.copyBytes(from: damaged)
  let record = UnsafeRawBufferPointer(bytes)
  do { try layout.validate(record) } catch { return false }
  let end = record.baseAddress! + record.count
  for slot in layout.places.indices {
    let slot = layout.slot(slot, at: record.baseAddress!)
    if let value = slot.rawBytes {
      #expect(value.baseAddress! >= record.baseAddress! && value.baseAddress! + value.count <= end)
    }
    _ = slot.value(store: sampleStore)
    var key: [UInt8] = []
    KeyEncoder.append(slot: slot, to: &key)
    #expect(key.count <= KeyEncoder.valueByteCountMax)
  }
  var arena = RecordArena()
  let copy = arena.append(copying: record)
  let again = layout.withDraft(of: copy) { $0.encode(into: &arena) }
  #expect(layout.differingSlots(copy, again).isEmpty)
  return true
}

@Suite struct `A damaged record` {
  private let layout = makeLayout(everyKind)

  private func sample(_ random: inout SeededGenerator) -> [UInt8] {
    bytes(makeRecord(everyKind.map { random.chance(8) ? .null : random.value($0) }, layout))
  }

  @Test func `with any one bit flipped is refused or read within its bounds`() {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    let sound = sample(&random)
    #expect(readAll(sound, layout), "seed \(seed)")
    for bit in 0..<(sound.count * 8) {
      var damaged = sound
      damaged[bit / 8] ^= 1 << (bit % 8)
      _ = readAll(damaged, layout)
    }
  }

  @Test func `with bytes missing at its end, or added there, is refused`() {
    var random = SeededGenerator(seed: 5)
    let sound = sample(&random)
    for count in 0..<sound.count {
      #expect(!readAll(Array(sound[..<count]), layout))
    }
    #expect(!readAll(sound + [0], layout))
    let numbers = makeLayout([.attribute(.int8)])
    #expect(!readAll(bytes(makeRecord([.int(1)], numbers)) + [1], numbers))
  }

  @Test func `of random bytes is refused or read within its bounds`() {
    let seed = SeededGenerator.firstSeed()
    var random = SeededGenerator(seed: seed)
    for _ in 0..<2_000 {
      var damaged = sample(&random)
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        damaged[Int.random(in: 0..<damaged.count, using: &random)] = UInt8.random(
          in: 0...255, using: &random)
      }
      _ = readAll(damaged, layout)
    }
  }

  @Test func `reports its mistakes`() {
    let layout = makeLayout([.attribute(.string), .attribute(.string)])
    let sound = bytes(makeRecord([.string("ab"), .string("c")], layout))
    func error(_ bytes: [UInt8]) -> RecordError? {
      bytes.withUnsafeBytes { bytes -> RecordError? in
        do throws(RecordError) { try layout.validate(bytes) } catch { return error }
        return nil
      }
    }
    #expect(error(sound) == nil)
    #expect(error([1]) == .tooShort(byteCount: 1, byteCountMin: 2))
    #expect(error([9, 0] + sound[2...]) == .unknownVersion(found: 9))
    #expect(error(Array(sound[..<5])) == .tooShort(byteCount: 5, byteCountMin: 7))
    #expect(error(sound[..<3] + [4, 0] + sound[5...]) == .badOffsets(variableSlot: 0))
    #expect(error(sound[..<5] + [1, 0] + sound[7...]) == .badOffsets(variableSlot: 1))
    #expect(error(sound + [0, 0]) == .trailingBytes(count: 2))
    #expect("\(RecordError.trailingBytes(count: 2))" == "2 bytes follow the last value")
  }

  /// Inputs that fuzzing once found, and samples of each kind: see Fuzz/Corpus.
  @Test func `of the fuzzer's corpus is refused or read within its bounds`() throws {
    let corpus = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../Fuzz/Corpus/record").standardizedFileURL
    let files = try FileManager.default.contentsOfDirectory(
      at: corpus, includingPropertiesForKeys: nil)
    #expect(!files.isEmpty)
    for file in files {
      let bytes = Array(try Data(contentsOf: file))
      _ = readAll(bytes, layout)
      bytes.withUnsafeBytes { bytes in
        _ = try? Envelope.decode(bytes, key: ObjectKey(rawValue: 1))
      }
    }
  }
}
