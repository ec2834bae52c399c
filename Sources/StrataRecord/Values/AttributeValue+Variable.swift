// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import StrataModel

// Text, data and URLs as attributes: each is in the variable part.

extension String: AttributeValue {
  @inlinable public static var attributeType: AttributeType { .string }
  @inlinable public static var zero: String? { "" }

  /// Bytes that are not UTF-8 (of a damaged record) read as U+FFFD.
  @inlinable public init?(_ slot: _RecordSlot) {
    guard let bytes = slot.bytes(.string) else { return nil }
    self.init(decoding: bytes, as: UTF8.self)
  }

  @inlinable public func write(to writer: inout _SlotWriter) {
    // A Swift text is UTF-8 already. Asked so it is not copied, and no reference is counted.
    let written: Void? = utf8.withContiguousStorageIfAvailable {
      writer.write(bytes: UnsafeRawBufferPointer($0), as: .string)
    }
    if written != nil { return }
    var text = self
    text.withUTF8 { writer.write(bytes: UnsafeRawBufferPointer($0), as: .string) }
  }

  @inlinable public var value: PropertyValue { .string(self) }

  public init?(value: PropertyValue) {
    guard case .string(let string) = value else { return nil }
    self = string
  }
}

extension Data: AttributeValue {
  public static var attributeType: AttributeType { .data }
  public static var zero: Data? { Data() }

  public init?(_ slot: _RecordSlot) {
    guard let bytes = slot.bytes(.data) else { return nil }
    self.init(bytes)
  }

  public func write(to writer: inout _SlotWriter) {
    writer.write(data: self)
  }

  public var value: PropertyValue { .data(self) }

  public init?(value: PropertyValue) {
    guard case .data(let data) = value else { return nil }
    self = data
  }
}

/// A URL is stored as its absolute string: a relative one comes back resolved.
extension URL: AttributeValue {
  public static var attributeType: AttributeType { .url }
  /// None: there is no empty URL.
  public static var zero: URL? { nil }

  public init?(_ slot: _RecordSlot) {
    guard let bytes = slot.bytes(.url) else { return nil }
    self.init(string: String(decoding: bytes, as: UTF8.self))
  }

  public func write(to writer: inout _SlotWriter) {
    var text = absoluteString
    text.withUTF8 { writer.write(bytes: UnsafeRawBufferPointer($0), as: .url) }
  }

  public var value: PropertyValue { .url(self) }

  public init?(value: PropertyValue) {
    guard case .url(let url) = value else { return nil }
    self = url
  }
}
