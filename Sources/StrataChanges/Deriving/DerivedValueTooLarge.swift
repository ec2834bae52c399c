// SPDX-License-Identifier: Apache-2.0
package import StrataModel
package import StrataRecord

/// A derived attribute would have a value that is too large to be stored: the form of a text may
/// have many times the bytes of the text.
package struct DerivedValueTooLarge: Error {
  package let key: ObjectKey
  /// The slot of the derived attribute.
  package let slot: Int
  package let refusal: ValueRefusal
}
