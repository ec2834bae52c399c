// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataModel
import StrataRecord

/// Every type that an attribute can have.
let everyType: [AttributeType] = (1...18).map { AttributeType(rawValue: $0)! }

/// Every kind of slot with a place.
let everyKind: [SlotKind] = everyType.map { .attribute($0) } + [.toOne]

let sampleStore = StoreIdentity(UUID(uuidString: "4B4B0B3C-3B3E-4A67-8E0C-7A7D5AA6E5B1")!)

/// A layout of slots of these kinds, numbered from 1 in order.
func makeLayout(_ kinds: [SlotKind], version: UInt16 = 1, transient: Set<Int> = []) -> RecordLayout
{
  RecordLayout(
    version: version,
    slots: kinds.enumerated().map { index, kind in
      SlotDescription(
        number: PropertyNumber(rawValue: UInt16(index + 1)), kind: kind,
        isTransient: transient.contains(index))
    })
}

/// The record of these values; `.null` is absent.
func makeRecord(_ values: [PropertyValue], _ layout: RecordLayout, base: Record? = nil) -> Record {
  var drafts = DraftArena()
  let draft = Draft.make(layout, base: base, in: &drafts)
  for (slot, value) in values.enumerated() where layout.places[slot].isPlaced {
    draft.setValue(value, at: slot)
  }
  var arena = RecordArena()
  return draft.encode(into: &arena)
}

func values(_ record: Record, _ layout: RecordLayout) -> [PropertyValue] {
  layout.places.indices.map { record.value(at: $0, layout: layout, store: sampleStore) }
}

func bytes(_ record: Record) -> [UInt8] { record.withUnsafeBytes { Array($0) } }

/// Bytes as the format's documentation writes them: `01 0A FF`.
func hex(_ bytes: some Sequence<UInt8>) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
    .joined(separator: " ")
}

func objectID(_ rawValue: UInt64) -> PropertyValue {
  .object(ObjectID(store: sampleStore, key: ObjectKey(rawValue: rawValue)))
}

/// Whether a value that was read is the one that was set: NaN is, too.
func isSame(_ left: PropertyValue, _ right: PropertyValue) -> Bool {
  switch (left, right) {
  case (.double(let left), .double(let right)):
    left.bitPattern == right.bitPattern || left.isNaN && right.isNaN
  case (.date(let left), .date(let right)):
    isSame(
      .double(left.timeIntervalSinceReferenceDate), .double(right.timeIntervalSinceReferenceDate))
  case (.decimal(let left), .decimal(let right)): left == right || left.isNaN && right.isNaN
  case (.string(let left), .string(let right)): Array(left.utf8) == Array(right.utf8)
  default: left == right
  }
}
