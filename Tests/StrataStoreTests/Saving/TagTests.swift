// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel
import StrataStore
import Synchronization
import Testing

#if DEBUG
  /// A reader that takes its snapshot and then reads the tag must see a saved segment exactly once,
  /// wherever the commit stands.
  @Suite struct `A segment on its way into the store` {
    @Test(arguments: StoreKind.allCases)
    func `is seen in its layer or in the snapshot, while the writer holds the lock and after`(
      _ kind: StoreKind
    ) throws {
      try kind.withStore { store in
        var edit = Edit(store)
        let key = edit.insert(Atlas.city)
        let changeSet = edit.changeSet
        let segment = changeSet.segments[0]
        let seen = Mutex<[PausePoint: Set<Int>]>([:])
        for member in store.members {
          PausePoint.observe(member.schema) { point in
            guard let snapshot = try? store.snapshot(), let isStored = try? snapshot.contains(key)
            else { return }
            let isShown = segment.tag.map { !snapshot.shows($0) } ?? true
            seen.withLock { seen in
              _ = seen[point, default: []].insert((isStored ? 1 : 0) + (isShown ? 1 : 0))
            }
          }
        }
        defer { for member in store.members { PausePoint.observe(member.schema, nil) } }
        _ = try store.commit(changeSet)
        let counts = seen.withLock { $0 }
        #expect(counts[.tagged] == [1])
        let snapshot = try store.snapshot()
        #expect(try snapshot.contains(key))
        let place = try #require(store.place(of: key))
        #expect(segment.tag == CommitTag.tag(1, ofStoreAt: place))
        #expect(snapshot.generation == 1)
      }
    }
  }
#endif
