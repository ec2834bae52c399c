// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataLMDB
import StrataModel
import StrataRecord

/// Calculates the derived `.canonical` texts of a whole store again: a former release has folded
/// them in another way, and the texts that programs compare them with are folded as now.
///
/// An object whose text differs is written with the new one, under its former generation: no save
/// has changed it, and a history does not mention it. The caller makes the indexes over the texts.
///
/// ## Isolation
/// The writer thread.
struct CanonicalTexts {
  private struct Text {
    let slot: Int
    let form: ResolvedDerivation.TextForm
    let source: Int
  }

  private let texts: [(entity: EntitySchema, texts: [Text])]

  /// - Parameter schema: the store's.
  init(of schema: Schema) {
    texts = schema.entities.compactMap { entity in
      let texts = (schema.derivation[entity.number]?.derived ?? []).compactMap { derived -> Text? in
        guard case .text(.canonical, let source) = derived.source else { return nil }
        return Text(slot: derived.slot, form: .canonical, source: source)
      }
      return texts.isEmpty ? nil : (entity, texts)
    }
  }

  /// The attributes with the texts.
  var numbers: Set<PropertyNumber> {
    Set(texts.flatMap { entity, texts in texts.map { entity.numbers[$0.slot] } })
  }

  /// - Parameter view: of the transaction.
  /// - Throws: `StoreError.damaged`, `LMDBError`.
  func calculate(in view: StoreView, _ transaction: WriteTransaction) throws {
    for (entity, texts) in texts {
      guard let tree = view.trees.records(of: entity.number) else { continue }
      try view.forEachKeys(of: entity.number) { keys in
        try write(try changed(texts, of: keys, entity, in: view), to: tree, transaction)
      }
    }
  }

  /// The objects whose texts differ, with their new records and their generations.
  private func changed(
    _ texts: [Text], of keys: [ObjectKey], _ entity: EntitySchema, in view: StoreView
  ) throws -> [(key: ObjectKey, record: Record, generation: UInt64)] {
    var arena = RecordArena()
    return try keys.compactMap { key in
      guard let stored = try view.record(of: key, into: &arena) else { return nil }
      return entity.layout.withDraft(of: stored.record) { draft in
        for text in texts {
          let source = stored.record.value(
            at: text.source, layout: entity.layout, store: entity.store)
          // A text that is too large for its record is refused, and stays as it is.
          if case .string(let source) = source {
            draft.setValue(.string(text.form.form(of: source)), at: text.slot)
          } else {
            draft.setValue(.null, at: text.slot)
          }
        }
        if draft.changed.isEmpty { return nil }
        return (key, draft.encode(into: &arena), stored.generation)
      }
    }
  }

  private func write(
    _ changed: [(key: ObjectKey, record: Record, generation: UInt64)], to tree: Tree,
    _ transaction: WriteTransaction
  ) throws {
    var cursor = try transaction.writeCursor(in: tree)
    for (key, record, generation) in changed {
      try RecordKey(key).withBytes { bytes in
        try cursor.put(bytes, byteCount: Envelope.byteCount(for: record)) {
          Envelope.encode(record: record, generation: generation, key: key, into: $0)
        }
      }
    }
  }
}
