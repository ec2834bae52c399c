// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import StrataModel
import StrataTestSupport
import Synchronization
import Testing

private struct Inner {
  var a = 0
  var b = 0
}
private final class Planet {
  var name = ""
  var inner = Inner()
  var moons = 0
}

/// Key paths with equal contents that are other objects each time, as a program makes them at run
/// time, and those of its text, which are one object each.
private enum Path: CaseIterable {
  case name, moons, innerA, innerB

  var literal: AnyKeyPath {
    switch self {
    case .name: \Planet.name
    case .moons: \Planet.moons
    case .innerA: \Planet.inner.a
    case .innerB: \Planet.inner.b
    }
  }

  var made: AnyKeyPath? {
    switch self {
    case .name, .moons: literal
    case .innerA: (\Planet.inner as KeyPath).appending(path: \.a)
    case .innerB: (\Planet.inner as KeyPath).appending(path: \.b)
    }
  }

  var slot: Int? { self == .name ? 0 : self == .innerA ? 7 : self == .innerB ? 8 : nil }
}

@Suite struct `Key paths that many threads look up` {
  private func planet(_ probeCount: @escaping @Sendable () -> Void) -> EntityDescription {
    EntityDescription(
      "Planet", class: Planet.self,
      properties: [
        .attribute(AttributeDescription("name", keyPath: \Planet.name, type: .string))
      ],
      probe: { keyPath in
        probeCount()
        for path in Path.allCases where path.literal == keyPath {
          if let slot = path.slot { return .slot(slot) }
        }
        return nil
      })
  }

  /// More objects than the table takes, so that it grows under readers, and is full at last.
  @Test func `are found whoever has added them, and by their contents where there is no room`() {
    let probes = Atomic(0)
    let entity = planet { probes.add(1, ordering: .relaxed) }
    let wrongCount = Atomic(0)
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      var kept: [AnyKeyPath] = []
      for _ in 0..<100 {
        for path in Path.allCases {
          for keyPath in [path.literal, path.made].compactMap({ $0 }) {
            kept.append(keyPath)
            if entity.slot(for: keyPath) != path.slot { wrongCount.add(1, ordering: .relaxed) }
          }
        }
      }
    }
    #expect(wrongCount.load(ordering: .relaxed) == 0)
    #expect(entity.path(for: \Planet.inner.a) == nil)
  }

  /// Each probe finds another slot, so that a thread's answer says whose it is.
  @Test func `have the same property for all threads that probe at the same time`() {
    let threadCount = 8
    let probing = Atomic(0)
    let entity = EntityDescription(
      "Planet", class: Planet.self, properties: [],
      probe: { _ in
        let number = probing.add(1, ordering: .relaxed).newValue
        while probing.load(ordering: .relaxed) < threadCount { sched_yield() }
        return .slot(number)
      })
    let answers = Mutex<[Int?]>([])
    performOnThreads(threadCount) { _ in
      let slot = entity.slot(for: \Planet.name)
      answers.withLock { $0.append(slot) }
    }
    let later = entity.slot(for: \Planet.name)
    #expect(later != nil)
    #expect(answers.withLock { $0 } == Array(repeating: later, count: threadCount))
  }

  @Test func `are probed once each, if they are not declared`() {
    let probes = Atomic(0)
    let entity = planet { probes.add(1, ordering: .relaxed) }
    for _ in 0..<10 {
      for path in Path.allCases where path.slot != nil { _ = entity.slot(for: path.literal) }
    }
    #expect(probes.load(ordering: .relaxed) == 2)
  }
}
