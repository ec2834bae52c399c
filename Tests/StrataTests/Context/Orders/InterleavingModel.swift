// SPDX-License-Identifier: Apache-2.0
#if DEBUG

  /// The states that a reader may see, in the plainest form: saves are numbers at a place, and each
  /// event moves them at once. Tags, segments, locks and composition do not occur.
  ///
  /// A reader sees the store as of its snapshot, and over it the layers of its chain at the time of
  /// copying them, far to near, without the saves that the snapshot has.
  struct InterleavingModel {
    indirect enum Event: Hashable, Sendable {
      case none
      /// A turn sets these values.
      case publishes(InterleavingPlace, [Int?])
      /// A root's save takes the pending changes of its layer; `commits` and `givesUp` refer to
      /// them.
      case takes(InterleavingPlace)
      case commits(InterleavingPlace)
      case givesUp(InterleavingPlace)
      /// The pending changes of one layer become the other's.
      case pushes(InterleavingPlace, to: InterleavingPlace)
      case copiesLayers
      case takesSnapshot
      /// The reader's view ends: the next one is its second.
      case endsView
      /// Several events in one step.
      case inOrder([Event])
    }

    private struct Save {
      let number: Int
      let values: [Int?]
    }

    private let readerChain: [InterleavingPlace]
    private var committed: [Save] = []
    /// Oldest first.
    private var pending: [InterleavingPlace: [Save]] = [:]
    private var taken: [InterleavingPlace: [Save]] = [:]
    private var saveCount = 0
    private var copied: [[Save]] = []
    private var snapshot: [Save] = []
    /// The values of the reader's views that have ended, one after the other.
    private var seenBefore: [Int] = []

    /// - Parameters:
    ///   - pending: the values that each layer sets at first.
    ///   - readerChain: the layers beneath the reader, near to far.
    init(pending: [InterleavingPlace: [Int?]], readerChain: [InterleavingPlace]) {
      self.readerChain = readerChain
      for (place, values) in pending { take(.publishes(place, values)) }
    }

    mutating func take(_ event: Event) {
      switch event {
      case .none: break
      case .publishes(let place, let values):
        saveCount += 1
        pending[place, default: []].append(Save(number: saveCount, values: values))
      case .takes(let place): taken[place] = pending[place]
      case .commits(let place):
        let saves = taken.removeValue(forKey: place) ?? []
        committed += saves
        pending[place]?.removeAll { save in saves.contains { $0.number == save.number } }
      case .givesUp(let place): taken[place] = nil
      case .pushes(let place, let parent):
        pending[parent, default: []] += pending.removeValue(forKey: place) ?? []
      case .copiesLayers: copied = readerChain.map { pending[$0] ?? [] }
      case .takesSnapshot: snapshot = committed
      case .endsView: seenBefore += view
      case .inOrder(let events): for event in events { take(event) }
      }
    }

    /// The values of all of the reader's views.
    var seen: [Int] { seenBefore + view }

    /// The reader's view.
    var view: [Int] {
      let isStored = Set(snapshot.map(\.number))
      return Self.values(
        after: snapshot + copied.reversed().joined().filter { !isStored.contains($0.number) })
    }

    /// The stored state.
    var stored: [Int] { Self.values(after: committed) }

    private static func values(after saves: [Save]) -> [Int] {
      var values = [0, 0]
      for save in saves {
        for case (let index, let value?) in save.values.enumerated() { values[index] = value }
      }
      return values
    }
  }
#endif
