// SPDX-License-Identifier: Apache-2.0
import StrataTestSupport

/// A kind of damage to the bytes of a store's file.
///
/// A page of LMDB 0.9 has 4,096 bytes: a head of 16, offsets of nodes, free space, nodes.
enum Damage: String, CaseIterable {
  case bit, bitInHeader, bitInPageHead, bytes, randomPage, zeroPage, zeroSector
  case misdirected, swapped, stale, torn, truncated
  /// One number of a page: of its head, an offset of a node, a number of a node's head.
  case field

  private static let page = 4_096
  private static let sector = 512

  /// Damages a file.
  ///
  /// - Parameter former: the same file at an earlier commit.
  func apply(to file: inout [UInt8], former: [UInt8], using random: inout SeededGenerator) {
    let pageCount = file.count / Self.page
    // The two headers are damaged by kinds of their own.
    let page = Int.random(in: 2..<pageCount, using: &random) * Self.page
    switch self {
    case .bit:
      file[Int.random(in: 0..<file.count, using: &random)] ^=
        1 << Int.random(in: 0..<8, using: &random)
    case .bitInHeader:
      let place =
        Int.random(in: 0..<2, using: &random) * Self.page + Int.random(in: 0..<152, using: &random)
      file[place] ^= 1 << Int.random(in: 0..<8, using: &random)
    case .bitInPageHead:
      file[page + Int.random(in: 0..<16, using: &random)] ^=
        1 << Int.random(in: 0..<8, using: &random)
    case .bytes:
      let place = Int.random(in: 0..<(file.count - 8), using: &random)
      for index in place..<(place + 8) { file[index] = .random(in: 0...255, using: &random) }
    case .randomPage:
      for index in page..<(page + Self.page) { file[index] = .random(in: 0...255, using: &random) }
    case .zeroPage:
      file.replaceSubrange(page..<(page + Self.page), with: repeatElement(0, count: Self.page))
    case .zeroSector:
      let sector = Int.random(in: 0..<(file.count / Self.sector), using: &random) * Self.sector
      file.replaceSubrange(
        sector..<(sector + Self.sector), with: repeatElement(0, count: Self.sector))
    case .misdirected:
      let other = Int.random(in: 2..<pageCount, using: &random) * Self.page
      file.replaceSubrange(page..<(page + Self.page), with: file[other..<(other + Self.page)])
    case .swapped:
      let other = Int.random(in: 2..<pageCount, using: &random) * Self.page
      let (one, two) = (
        Array(file[page..<(page + Self.page)]), Array(file[other..<(other + Self.page)])
      )
      file.replaceSubrange(page..<(page + Self.page), with: two)
      file.replaceSubrange(other..<(other + Self.page), with: one)
    case .stale:
      let place = page % (former.count / Self.page * Self.page)
      file.replaceSubrange(place..<(place + Self.page), with: former[place..<(place + Self.page)])
    case .torn:
      let place = page % (former.count / Self.page * Self.page)
      let end = place + Int.random(in: 1..<8, using: &random) * Self.sector
      file.replaceSubrange(place..<end, with: former[place..<end])
    case .truncated: file.removeLast(Int.random(in: 1..<file.count, using: &random))
    case .field: Self.damageField(of: &file, page, using: &random)
    }
  }

  private static func damageField(
    of file: inout [UInt8], _ page: Int, using random: inout SeededGenerator
  ) {
    func number(_ place: Int) -> Int { Int(file[place]) | Int(file[place + 1]) << 8 }
    // `lower` of a damaged page may be anything.
    let nodeCount = min(max(0, (number(page + 12) - 16) / 2), 2_000)
    let place: Int
    switch Int.random(in: 0..<8, using: &random) {
    case 0: place = page + [0, 2, 4, 6].randomElement(using: &random)!
    case 1: place = page + 10
    case 2: place = page + 12
    case 3: place = page + 14
    case 4 where nodeCount > 0, 5 where nodeCount > 0:
      place = page + 16 + 2 * Int.random(in: 0..<nodeCount, using: &random)
    default:
      let index = Int.random(in: 0..<max(1, nodeCount), using: &random)
      let node = page + number(page + 16 + 2 * index) % (Self.page - 8)
      place = node + [0, 2, 4, 6].randomElement(using: &random)!
    }
    guard place + 1 < file.count else { return }
    let former = number(place)
    let values = [
      0, 1, 2, 4, 16, 4_095, 4_096, 0x7FFF, 0xFFFF, former + 1, former - 1, former + 2, former - 2,
      Int.random(in: 0...0xFFFF, using: &random),
    ]
    let value = values.randomElement(using: &random)!
    file[place] = UInt8(truncatingIfNeeded: value)
    file[place + 1] = UInt8(truncatingIfNeeded: value >> 8)
  }
}
