// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataPrimitives
import StrataRecord

extension ObjectCache: CheckedInvariants {
  package var brokenInvariant: String? {
    let objects = table.objects
    if Set(objects.map(\.key)).count != objects.count { return "I1 At most one instance per key." }
    let held = objects.reduce(0) { $0 + Self.objectByteCount + ($1.record?.byteCount ?? 0) }
    if byteCount != original.values.reduce(held, { $0 + $1.byteCount }) {
      return """
        I2 `byteCount` counts each instance and each record that an instance holds, or that awake \
        methods have set values over.
        """
    }
    if !original.keys.allSatisfy({ registeredObject(for: $0)?.record != nil }) {
      return """
        I3 An object in `original` is registered and has values that an awake method set over \
        those of that record.
        """
    }
    if objects.contains(where: { $0.edition > edition }) {
      return "I4 No object has a future edition."
    }
    return nil
  }
}
