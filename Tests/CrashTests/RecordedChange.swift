// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A change that a process has made to a file, as `Tests/CrashPoints/crash_record.h` writes it.
enum RecordedChange {
  case write(file: UInt64, offset: Int, bytes: [UInt8])
  case size(file: UInt64, byteCount: Int)
  case sync(file: UInt64)
  case newFile(UInt64, name: String)
  case link(name: String, newName: String)
  case rename(name: String, newName: String)
  case unlink(name: String)
  case syncFolder
  /// The process was told that its operation has ended.
  case acknowledged

  /// The changes in a file, in their order; nil if the file is none of changes.
  static func all(in url: URL) throws -> [RecordedChange]? {
    let data = try Data(contentsOf: url)
    var changes: [RecordedChange] = []
    var place = data.startIndex
    func number() -> UInt64? {
      guard data.endIndex - place >= 8 else { return nil }
      defer { place += 8 }
      return data[place..<place + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    func bytes(_ count: Int) -> [UInt8]? {
      guard data.endIndex - place >= count else { return nil }
      defer { place += count }
      return [UInt8](data[place..<place + count])
    }
    while place < data.endIndex {
      guard let kind = number(), let file = number(), let offset = number(),
        let firstCount = number(), let secondCount = number(),
        let first = bytes(Int(firstCount)), let second = bytes(Int(secondCount)),
        let change = RecordedChange(kind, file, Int(offset), first, second)
      else { return nil }
      changes.append(change)
    }
    return changes
  }

  private init?(
    _ kind: UInt64, _ file: UInt64, _ offset: Int, _ first: [UInt8], _ second: [UInt8]
  ) {
    func name(_ path: [UInt8]) -> String {
      URL(fileURLWithPath: String(decoding: path, as: UTF8.self)).lastPathComponent
    }
    switch kind {
    case 1: self = .write(file: file, offset: offset, bytes: first)
    case 2: self = .size(file: file, byteCount: offset)
    case 3: self = .sync(file: file)
    case 4: self = .newFile(file, name: name(first))
    case 5: self = .link(name: name(first), newName: name(second))
    case 6: self = .rename(name: name(first), newName: name(second))
    case 7: self = .unlink(name: name(first))
    case 8: self = .syncFolder
    case 9: self = .acknowledged
    default: return nil
    }
  }
}
