// SPDX-License-Identifier: Apache-2.0
import StrataStore
import Testing

/// In format 4 the note of a history has no mark of the floor.
@Suite struct `A history of format 4` {
  private func makeFormer() async throws -> Recorded {
    let recorded = try await Recorded()
    try recorded.file.setNote(Array(recorded.file.note().prefix(32)))
    try recorded.file.setFormat(4)
    return recorded
  }

  @Test func `is read and written in that format`() async throws {
    let recorded = try await makeFormer()
    try recorded.save()
    #expect(try recorded.history().count == 7)
    let passed = try recorded.history()[3].token
    try await recorded.store.edit(.delete(through: passed))
    #expect(try recorded.file.note().count == 32)
    #expect(try recorded.file.format() == 4)
    // The mark of the deleted transaction is not known any more.
    #expect(try recorded.history(after: passed).map(\.generation) == [5, 6, 7])
  }

  @Test func `gets marks when it is asked for again`() async throws {
    let recorded = try await makeFormer()
    let tokens = try recorded.history().map(\.token)
    try await recorded.store.edit(.keep(HistoryRetention()))
    #expect(try recorded.file.note().count == 48)
    try await recorded.store.edit(.delete(through: tokens[1]))
    for (index, token) in tokens.enumerated().dropFirst() {
      #expect(try recorded.history(after: token).count == 5 - index)
    }
  }

  @Test func `does not know the mark of its floor then either`() async throws {
    let recorded = try await makeFormer()
    let tokens = try recorded.history().map(\.token)
    try await recorded.store.edit(.delete(through: tokens[1]))
    try await recorded.store.edit(.keep(HistoryRetention()))
    #expect(try recorded.history(after: tokens[1]).map(\.generation) == [3, 4, 5, 6])
    #expect(try recorded.history(after: recorded.token(of: 2)).count == 4)
    // The next floor has a mark.
    try await recorded.store.edit(.delete(through: tokens[2]))
    #expect(try recorded.history(after: tokens[2]).count == 3)
  }

  @Test func `has tokens without a mark, which pass by their number`() async throws {
    let recorded = try await makeFormer()
    #expect(try recorded.history(after: recorded.token(of: 4)).map(\.generation) == [5, 6])
  }
}
