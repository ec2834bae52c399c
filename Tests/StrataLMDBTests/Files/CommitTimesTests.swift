// SPDX-License-Identifier: Apache-2.0
import StrataLMDB
import StrataTestSupport
import Testing

@Suite struct `The times of commits` {
  @Test func `say how long ago a state was replaced`() {
    var times = CommitTimes()
    #expect(times.age(ofCommit: 1, at: .seconds(5)) == .zero)
    for number: UInt64 in 1...3 { times.note(number, at: .seconds(10 * Int(number))) }
    #expect(times.age(ofCommit: 0, at: .seconds(40)) == .seconds(30))
    #expect(times.age(ofCommit: 1, at: .seconds(40)) == .seconds(20))
    #expect(times.age(ofCommit: 2, at: .seconds(40)) == .seconds(10))
    #expect(times.age(ofCommit: 3, at: .seconds(40)) == .zero, "it is the newest")
  }

  @Test func `count the commits of other processes from when they are noticed`() {
    var times = CommitTimes()
    times.note(1, at: .seconds(0))
    times.note(9, at: .seconds(10))
    #expect(times.age(ofCommit: 1, at: .seconds(30)) == .seconds(20))
    #expect(times.age(ofCommit: 5, at: .seconds(30)) == .seconds(20))
    // An older one, and the same again, change nothing.
    times.note(9, at: .seconds(30))
    times.note(3, at: .seconds(30))
    #expect(times.age(ofCommit: 8, at: .seconds(30)) == .seconds(20))
  }

  /// Many commits, after pauses of all lengths: the ages against a list of all times.
  @Test(arguments: [Duration.milliseconds(1), .milliseconds(300), .seconds(5), .seconds(600)])
  func `lose at most a second and a sixteenth of an age, and add nothing`(pause: Duration) {
    var random = SeededGenerator(seed: 7)
    var times = CommitTimes()
    var all: [Duration] = []
    var now = Duration.zero
    for number in 0..<5_000 {
      now += pause * Double.random(in: 0...2, using: &random)
      times.note(UInt64(number), at: now)
      all.append(now)
      for _ in 0..<(number.isMultiple(of: 100) ? 50 : 1) {
        let asked = Int.random(in: 0...number, using: &random)
        let age = times.age(ofCommit: UInt64(asked), at: now)
        let exact = asked < number ? now - all[asked + 1] : .zero
        #expect(age <= exact)
        #expect(age >= exact * 0.9 - .seconds(1))
      }
    }
  }
}
