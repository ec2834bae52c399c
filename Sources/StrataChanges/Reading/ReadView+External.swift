// SPDX-License-Identifier: Apache-2.0
package import StrataModel
package import StrataRecord

// External attributes. A slot that a change has not set has the value beneath the change now, which
// may differ from the value that its maker read.

extension ReadView {
  private enum ExternalPlace {
    case nowhere
    case pending(ExternalData)
    case stored
  }

  /// The value of an external slot of the object in this view; nil if it has none, or if there is
  /// no such object.
  ///
  /// - Throws: `StoreError`, `.damaged` if the store has not the bytes that its record has the
  ///   stamp of.
  /// - Complexity: O(bytes).
  package func externalData(of key: ObjectKey, at slot: Int) throws -> ExternalData? {
    switch externalPlace(of: key, at: slot) {
    case .nowhere: nil
    case .pending(let value): value
    case .stored: try snapshot.externalData(of: key, at: slot)
    }
  }

  /// The stamp of `externalData(of:at:)`, for which its bytes are not read.
  package func externalStamp(of key: ObjectKey, at slot: Int) throws -> DataStamp? {
    switch externalPlace(of: key, at: slot) {
    case .nowhere: return nil
    case .pending(let value): return value.stamp
    case .stored:
      guard let layout = schema.entity(key.entity)?.layout else { return nil }
      return try snapshot.record(for: key)?.record.stamp(at: slot, layout)
    }
  }

  private func externalPlace(of key: ObjectKey, at slot: Int) -> ExternalPlace {
    guard let layout = schema.entity(key.entity)?.layout else { return .nowhere }
    for segment in layers.segments {
      guard let change = segment.change(for: key) else { continue }
      guard let record = change.record else { return .nowhere }
      guard change.kind == .insert || change.slots.contains(slot) else { continue }
      guard let stamp = record.stamp(at: slot, layout) else { return .nowhere }
      if let pending = change.external.value(at: slot, fitting: stamp) { return .pending(pending) }
    }
    return .stored
  }
}
