// SPDX-License-Identifier: Apache-2.0

/// A value behind one reference.
///
/// Descriptions of properties have one each, because they are handed on all the time while a store
/// is opened: a copy then counts one reference instead of five.
///
/// ## Isolation
/// Sendable: constant.
final class ValueBox<Value: Sendable>: Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}
