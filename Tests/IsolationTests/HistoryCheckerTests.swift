// SPDX-License-Identifier: Apache-2.0
import IsolationHistory
import Testing

private let x = Register("x")
private let y = Register("y")

/// A unit of one turn.
private func unit(
  _ name: String, _ times: ClosedRange<UInt64>, _ operations: Operation...,
  outcome: UnitOfWork.Outcome = .committed, checksVersions: Bool = true
) -> UnitOfWork {
  UnitOfWork(
    name, from: times.lowerBound, to: times.upperBound, [operations], outcome,
    checksVersions: checksVersions)
}

private func kinds(_ units: UnitOfWork...) -> [Anomaly.Kind] {
  HistoryChecker.anomalies(in: History(units)).map(\.kind)
}

/// Writes both registers for the first time.
private let first = unit("first", 0...9, .write(x, 1, over: 0), .write(y, 2, over: 0))

@Suite struct `A history` {
  @Suite struct `of single reads and writes` {
    @Test func `without units has no anomaly`() { #expect(kinds() == []) }

    @Test func `that reads the saved versions has none`() {
      #expect(kinds(first, unit("a", 10...19, .read(x, 1), .read(y, 2))) == [])
    }

    @Test func `that reads a version which nothing wrote has an unwritten read`() {
      #expect(kinds(first, unit("a", 10...19, .read(x, 7))) == [.unwrittenRead])
    }

    @Test func `that reads a version at a level to which it was not saved has an unwritten read`() {
      let child = unit("child", 10...19, .write(Register("x", at: "root"), 3, over: 1))
      let root = unit(
        "root", 30...39, .read(Register("x", at: "root"), 3), .write(x, 3, over: 1))
      let early = unit("early", 20...29, .read(x, 3))
      #expect(kinds(first, child, early) == [.unwrittenRead])
      let late = unit("late", 40...49, .read(x, 3))
      #expect(kinds(first, child, root, late) == [])
    }

    @Test func `that reads a version of a refused save has an aborted read`() {
      let refused = unit("a", 10...19, .write(x, 3, over: 1), outcome: .abandoned)
      #expect(kinds(first, refused, unit("b", 10...19, .read(x, 3))) == [.abortedRead])
      #expect(kinds(first, refused, unit("b", 10...19, .read(x, 1))) == [])
    }

    @Test func `that reads own changes which are then taken back has none`() {
      let refused = unit(
        "a", 10...19, .read(x, 1), .write(x, 3, over: 1), .read(x, 3), outcome: .abandoned)
      #expect(kinds(first, refused) == [])
    }

    @Test func `that reads a version which its unit has replaced has an intermediate read`() {
      let twice = unit("a", 10...19, .write(x, 3, over: 1), .write(x, 4, over: 3))
      #expect(kinds(first, twice, unit("b", 15...19, .read(x, 3))) == [.intermediateRead])
      #expect(kinds(first, twice, unit("b", 15...19, .read(x, 4))) == [])
    }

    @Test func `that reads two versions in a turn has an unrepeatable read`() {
      let writer = unit("a", 10...19, .write(x, 3, over: 1))
      let found = kinds(first, writer, unit("b", 10...19, .read(x, 1), .read(x, 3)))
      #expect(found.contains(.unrepeatableRead))
    }

    @Test func `that reads two versions in two turns of one unit has none`() {
      let writer = unit("a", 10...19, .write(x, 3, over: 1))
      let reader = UnitOfWork("b", from: 10, to: 29, [[.read(x, 1)], [.read(x, 3)]])
      #expect(kinds(first, writer, reader) == [])
    }

    @Test func `that does not read its own write has an unrepeatable read`() {
      let found = kinds(first, unit("a", 10...19, .write(x, 3, over: 1), .read(x, 1)))
      #expect(found == [.unrepeatableRead])
      #expect(kinds(first, unit("a", 10...19, .write(x, 3, over: 1), .read(x, 3))) == [])
    }

    @Test func `that reads one version over two others has a torn version`() {
      let writers = [
        first, unit("a", 10...19, .write(x, 3, over: 1)), unit("b", 20...29, .write(x, 4, over: 3)),
      ]
      func found(_ former: Version) -> [Anomaly.Kind] {
        let readers = [
          unit("c", 30...39, .read(x, 4, former: 3)),
          unit("d", 40...49, .read(x, 4, former: former)),
        ]
        return HistoryChecker.anomalies(in: History(writers + readers)).map(\.kind)
      }
      #expect(found(1) == [.tornVersion])
      #expect(found(3) == [])
    }
  }

  @Suite struct `of two saves` {
    private static let one = unit("one", 10...29, .read(x, 1), .write(x, 3, over: 1))
    private static let two = unit("two", 10...29, .read(x, 1), .write(x, 4, over: 1))

    @Test func `over the same version has a lost update`() {
      #expect(kinds(first, Self.one, Self.two) == [.lostUpdate])
    }

    @Test func `of which one is refused has none`() {
      let refused = unit(
        "two", 10...29, .read(x, 1), .write(x, 4, over: 1), outcome: .abandoned)
      #expect(kinds(first, Self.one, refused) == [])
    }

    @Test func `over the same version has none if one of them checks no versions`() {
      let loose = unit(
        "two", 10...29, .read(x, 1), .write(x, 4, over: 1), checksVersions: false)
      #expect(kinds(first, Self.one, loose) == [])
    }

    @Test func `one after the other has none`() {
      let later = unit("two", 10...29, .read(x, 3), .write(x, 4, over: 3))
      #expect(kinds(first, Self.one, later) == [])
    }

    @Test func `of which a batch has replaced the version of the other has a lost update`() {
      let batch = unit("batch", 10...29, .write(x, 4, over: nil))
      let over = { (former: Version) in unit("c", 30...39, .read(x, 4, former: former)) }
      #expect(kinds(first, Self.one, batch, over(1)).contains(.lostUpdate))
      #expect(kinds(first, Self.one, batch, over(3)) == [])
    }

    @Test func `that have each written over the other has a dirty write`() {
      let one = unit("one", 10...29, .write(x, 3, over: 1), .write(y, 4, over: 6))
      let two = unit("two", 10...29, .write(x, 5, over: 3), .write(y, 6, over: 2))
      #expect(kinds(first, one, two) == [.dirtyWrite])
      let inOrder = unit("one", 10...29, .write(x, 3, over: 1), .write(y, 4, over: 2))
      let next = unit("two", 10...29, .write(x, 5, over: 3), .write(y, 6, over: 4))
      #expect(kinds(first, inOrder, next) == [])
    }

    @Test func `that have each read the other has a circular flow`() {
      let one = unit("one", 10...29, .write(x, 3, over: 1), .read(y, 4))
      let two = unit("two", 10...29, .write(y, 4, over: 2), .read(x, 3))
      #expect(kinds(first, one, two) == [.circularFlow])
      let blind = unit("two", 10...29, .write(y, 4, over: 2))
      #expect(kinds(first, one, blind) == [])
    }

    @Test func `that have each replaced a version read by the other has none`() {
      let one = unit("one", 10...29, .read(x, 1), .read(y, 2), .write(x, 3, over: 1))
      let two = unit("two", 10...29, .read(x, 1), .read(y, 2), .write(y, 4, over: 2))
      #expect(kinds(first, one, two) == [])
    }

    @Test func `that have each replaced a version guarded by the other has a write skew`() {
      func skew(_ isOtherGuarded: Bool) -> [Anomaly.Kind] {
        kinds(
          first,
          unit("one", 10...29, .read(y, 2, isGuarded: true), .write(x, 3, over: 1)),
          unit("two", 10...29, .read(x, 1, isGuarded: isOtherGuarded), .write(y, 4, over: 2)))
      }
      #expect(skew(true) == [.writeSkew])
      #expect(skew(false) == [])
    }

    @Test func `of which one guards a version that the other has replaced has none`() {
      let one = unit("one", 10...29, .read(y, 2, isGuarded: true), .write(x, 3, over: 1))
      let two = unit("two", 10...29, .write(y, 4, over: 2))
      #expect(kinds(first, one, two) == [])
    }

    @Test func `of which a guarding one is refused has none`() {
      let one = unit(
        "one", 10...29, .read(y, 2, isGuarded: true), .write(x, 3, over: 1), outcome: .abandoned)
      let two = unit("two", 10...29, .read(x, 1, isGuarded: true), .write(y, 4, over: 2))
      #expect(kinds(first, one, two) == [])
    }
  }

  @Suite struct `of a reader beside saves` {
    private static let both = unit("both", 10...29, .write(x, 3, over: 1), .write(y, 4, over: 2))

    @Test func `that sees half of a save has a read skew`() {
      let half = unit("reader", 10...29, .read(x, 3), .read(y, 2))
      #expect(kinds(first, Self.both, half) == [.readSkew])
      let none = unit("reader", 10...29, .read(x, 1), .read(y, 2))
      #expect(kinds(first, Self.both, none) == [])
      let all = unit("reader", 10...29, .read(x, 3), .read(y, 4))
      #expect(kinds(first, Self.both, all) == [])
    }

    @Test func `that sees half of a save in each of two turns has none`() {
      let reader = UnitOfWork("reader", from: 10, to: 29, [[.read(y, 2)], [.read(x, 3)]])
      #expect(kinds(first, Self.both, reader) == [])
      let backwards = UnitOfWork("reader", from: 10, to: 29, [[.read(x, 3)], [.read(x, 1)]])
      #expect(kinds(first, Self.both, backwards) == [.readSkew])
    }

    @Test func `that is abandoned and sees half of a save has a read skew all the same`() {
      let half = unit("reader", 10...29, .read(x, 3), .read(y, 2), outcome: .abandoned)
      #expect(kinds(first, Self.both, half) == [.readSkew])
    }

    @Test func `that sees a save without the one on which it rests has a read skew`() {
      let one = unit("one", 10...29, .write(x, 3, over: 1))
      let two = unit("two", 10...29, .read(x, 3), .write(y, 4, over: 2))
      #expect(kinds(first, one, two, unit("c", 10...29, .read(x, 1), .read(y, 4))) == [.readSkew])
      #expect(kinds(first, one, two, unit("c", 10...29, .read(x, 3), .read(y, 2))) == [])
    }

    @Test func `that sees two saves in the opposite order of another one has a long fork`() {
      let one = unit("one", 10...29, .write(x, 3, over: 1))
      let two = unit("two", 10...29, .write(y, 4, over: 2))
      let left = unit("left", 10...29, .read(x, 3), .read(y, 2))
      let right = unit("right", 10...29, .read(x, 1), .read(y, 4))
      #expect(kinds(first, one, two, left, right) == [.longFork])
      let same = unit("right", 10...29, .read(x, 3), .read(y, 4))
      #expect(kinds(first, one, two, left, same) == [])
    }

    @Test func `that begins after a save has returned and does not see it has a stale read`() {
      let old = { (start: UInt64) in unit("reader", start...39, .read(x, 1)) }
      #expect(kinds(first, Self.both, old(30)) == [.staleRead])
      #expect(kinds(first, Self.both, old(29)) == [])
    }

    @Test func `that ends before the save that it sees has begun has a stale read`() {
      let early = unit("reader", 5...9, .read(x, 3))
      #expect(kinds(unit("a", 0...4, .write(x, 1, over: 0)), Self.both, early) == [.staleRead])
    }

    @Test func `that reads its ancestors and the store at two moments has none`() {
      let pushed = unit("child", 10...19, .write(Register("z", at: "root"), 5, over: 0))
      let later = unit("other", 20...29, .write(x, 3, over: 1))
      let reader = unit("reader", 10...29, .read(Register("z", at: "root"), 0), .read(x, 3))
      #expect(kinds(first, pushed, later, reader) == [])
    }
  }
}
