// SPDX-License-Identifier: Apache-2.0
package import StrataModel

extension Schema {
  /// The record that an entity's bytes are, copied; of the present layout, whichever layout they
  /// were written with.
  ///
  /// - Throws: any case of `RecordError` but `checksumMismatch`; `unknownVersion` if the model does
  ///   not have the entity.
  package func record(
    of number: EntityNumber, from bytes: UnsafeRawBufferPointer, into arena: inout RecordArena
  ) throws(RecordError) -> Record {
    guard let layout = layout(of: number) else { throw .unknownVersion(found: 0) }
    do {
      try layout.validate(bytes)
      return arena.append(copying: bytes)
    } catch .unknownVersion(let version) {
      guard let upgrade = upgrade(of: number, from: version) else {
        throw .unknownVersion(found: version)
      }
      return try upgrade.record(from: bytes, into: &arena)
    }
  }
}
