// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// An object that is placed otherwise than before, or is in a list for the first or the last time.
struct ResultChange {
  let key: ObjectKey
  /// The entry before the change; nil for an object that comes.
  let old: ResultEntry?
  /// The entry after the change; nil for an object that goes.
  let new: ResultEntry?
}
