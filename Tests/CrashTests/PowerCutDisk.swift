// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataTestSupport

/// A folder on a disk of which the power may be cut: what is on the disk for certain, and what was
/// written since and may be there or not.
///
/// The model is POSIX's: `fsync` of a file makes its content certain, and `fsync` of the folder
/// makes names certain. Until then, any of the sectors that were written may be on the disk, in any
/// order. Names are a journal's: if a change of a name is there, so are the changes before it.
struct PowerCutDisk {
  private typealias Content = [UInt8]

  fileprivate enum Edit {
    case write(offset: Int, bytes: [UInt8])
    case size(Int)
  }

  fileprivate enum NameEdit {
    case set(String, UInt64)
    case move(String, to: String)
    case remove(String)
  }

  private var contents: [UInt64: Content] = [:]
  private var edits: [UInt64: [Edit]] = [:]
  private var names: [String: UInt64] = [:]
  private var nameEdits: [NameEdit] = []
  /// The names as the process sees them.
  private var presentNames: [String: UInt64] = [:]
  private(set) var isAcknowledged = false

  /// - Parameter file: the number of the one file that is there.
  init(name: String, file: UInt64, content: Data) {
    contents[file] = [UInt8](content)
    names[name] = file
    presentNames = names
  }

  mutating func apply(_ change: RecordedChange) {
    switch change {
    case .write(let file, let offset, let bytes):
      edits[file, default: []].append(.write(offset: offset, bytes: bytes))
    case .size(let file, let byteCount): edits[file, default: []].append(.size(byteCount))
    case .sync(let file):
      for edit in edits.removeValue(forKey: file) ?? [] {
        edit.apply(to: &contents[file, default: []])
      }
    case .newFile(let file, let name): edit(.set(name, file))
    case .link(let name, let newName):
      if let file = presentNames[name] { edit(.set(newName, file)) }
    case .rename(let name, let newName): edit(.move(name, to: newName))
    case .unlink(let name): edit(.remove(name))
    case .syncFolder:
      for edit in nameEdits { edit.apply(to: &names) }
      nameEdits = []
    case .acknowledged: isAcknowledged = true
    }
  }

  private mutating func edit(_ edit: NameEdit) {
    edit.apply(to: &presentNames)
    nameEdits.append(edit)
  }

  /// What a cut leaves of the writes that were not synced.
  enum Loss: CaseIterable {
    case nothing, all, pages, sectors
  }

  /// Makes a folder with the files as they are after a cut. Lock files are left out: the first
  /// process to open a store makes its lock file anew.
  func write(
    to folder: URL, losing loss: Loss, using generator: inout SeededGenerator
  ) throws {
    let (contents, names) = remains(losing: loss, using: &generator)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    var written: [UInt64: URL] = [:]
    for (name, file) in names where !name.hasSuffix("-lock") {
      let url = folder.appendingPathComponent(name)
      if let former = written[file] {
        try FileManager.default.linkItem(at: former, to: url)
      } else {
        try Data(contents[file] ?? []).write(to: url)
        written[file] = url
      }
    }
  }

  private func remains(
    losing loss: Loss, using generator: inout SeededGenerator
  ) -> (contents: [UInt64: [UInt8]], names: [String: UInt64]) {
    var (contents, names) = (contents, names)
    let nameCount =
      switch loss {
      case .nothing: nameEdits.count
      case .all: 0
      case .pages, .sectors: Int.random(in: 0...nameEdits.count, using: &generator)
      }
    for edit in nameEdits.prefix(nameCount) { edit.apply(to: &names) }
    for (file, edits) in edits.sorted(by: { $0.key < $1.key }) {
      for edit in edits {
        switch loss {
        case .nothing: edit.apply(to: &contents[file, default: []])
        case .all: break
        case .pages, .sectors:
          for part in edit.parts(of: loss == .pages ? 4_096 : 512)
          where Bool.random(using: &generator) {
            part.apply(to: &contents[file, default: []])
          }
        }
      }
    }
    return (contents, names)
  }
}

extension PowerCutDisk.Edit {
  fileprivate func apply(to content: inout [UInt8]) {
    switch self {
    case .write(let offset, let bytes):
      if content.count < offset + bytes.count {
        content += repeatElement(0, count: offset + bytes.count - content.count)
      }
      content.replaceSubrange(offset..<offset + bytes.count, with: bytes)
    case .size(let byteCount):
      if content.count > byteCount { content.removeLast(content.count - byteCount) }
      if content.count < byteCount {
        content += repeatElement(0, count: byteCount - content.count)
      }
    }
  }

  /// The write in parts that end at multiples of `byteCount`.
  fileprivate func parts(of byteCount: Int) -> [PowerCutDisk.Edit] {
    guard case .write(let offset, let bytes) = self else { return [self] }
    var parts: [PowerCutDisk.Edit] = []
    var place = 0
    while place < bytes.count {
      let end = min(bytes.count, ((offset + place) / byteCount + 1) * byteCount - offset)
      parts.append(.write(offset: offset + place, bytes: Array(bytes[place..<end])))
      place = end
    }
    return parts
  }
}

extension PowerCutDisk.NameEdit {
  fileprivate func apply(to names: inout [String: UInt64]) {
    switch self {
    case .set(let name, let file): names[name] = file
    case .move(let name, let newName):
      if let file = names.removeValue(forKey: name) { names[newName] = file }
    case .remove(let name): names[name] = nil
    }
  }
}
