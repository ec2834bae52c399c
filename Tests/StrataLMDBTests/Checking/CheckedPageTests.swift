// SPDX-License-Identifier: Apache-2.0
import StrataLMDB
import Testing

/// Pages of 512 bytes whose nodes have a key of eight bytes and no flags.
@Suite struct `A leaf` {
  /// - Parameter nodes: where each node begins and ends.
  private static func page(_ nodes: [Range<Int>]) -> [UInt8] {
    var page = [UInt8](repeating: 0, count: 512)
    func set(_ number: Int, at place: Int) {
      page[place] = UInt8(number & 0xFF)
      page[place + 1] = UInt8(number >> 8)
    }
    set(2, at: 10)
    set(16 + 2 * nodes.count, at: 12)
    set(nodes.map(\.lowerBound).min()!, at: 14)
    for (index, node) in nodes.enumerated() {
      set(node.lowerBound, at: 16 + 2 * index)
      set(node.count - 16, at: node.lowerBound)
      set(8, at: node.lowerBound + 6)
    }
    return page
  }

  private static func isAccepted(_ nodes: [Range<Int>]) -> Bool {
    page(nodes).withUnsafeBytes { bytes in
      (try? CheckedPage(bytes.baseAddress!, bytes.count, number: 0, kind: .leaf)) != nil
    }
  }

  @Test func `is accepted if its nodes fill it, in any order`() {
    #expect(Self.isAccepted([448..<480, 384..<448, 480..<512]))
  }

  @Test func `is refused if there is a gap between its nodes`() {
    #expect(!Self.isAccepted([384..<416, 448..<512]))
  }

  /// The sums of the places at which they begin and end are equal, and so are the sums of squares.
  @Test func `is refused if its nodes overlap and leave a gap as large`() {
    #expect(!Self.isAccepted([384..<416, 400..<432, 464..<496, 480..<512]))
  }

  @Test func `is refused if a node is there twice`() {
    #expect(!Self.isAccepted([384..<448, 448..<512, 448..<512]))
  }
}
