// SPDX-License-Identifier: Apache-2.0
import StrataTestSupport
import Testing

/// Counts words; a planted fault has it clear nothing once it has been looked at.
private struct WordCount {
  let hasFault: Bool
  private var counts: [String: Int] = [:]
  private var isLookedAt = false

  init(hasFault: Bool) { self.hasFault = hasFault }

  mutating func add(_ word: String) { counts[word, default: 0] += 1 }

  mutating func look() -> [String: Int] {
    isLookedAt = true
    return counts
  }

  mutating func clear() {
    if !(hasFault && isLookedAt) { counts = [:] }
  }
}

/// A word count beside the words themselves.
private struct WordModel: Model {
  var random: ModelRandom
  private var code: WordCount
  private var words: [String] = []
  private var isLookedAt = false

  init(_ random: ModelRandom, hasFault: Bool) {
    self.random = random
    code = WordCount(hasFault: hasFault)
  }

  static var operations: [ModelOperation<WordModel>] {
    [
      ModelOperation("add", weight: 6) { $0.add() },
      ModelOperation("look", weight: 3) { try $0.look() },
      ModelOperation("clear") { $0.clear() },
    ]
  }

  private mutating func add() {
    let word = random.pick(["a", "b", "c"]) ?? ""
    random.note("  \(word)")
    code.add(word)
    words.append(word)
  }

  private mutating func look() throws {
    random.count("looks")
    let expected = Dictionary(grouping: words) { $0 }.mapValues(\.count)
    try expectSame(code.look(), expected, "the words")
  }

  private mutating func clear() {
    code.clear()
    words = []
  }

  mutating func finish() throws { try look() }
}

private func wordTest(
  hasFault: Bool, width: Int = 1, meets: [String: Int] = [:], replay: String? = nil
) -> ModelTest<WordModel> {
  ModelTest(
    "words", sequences: 20, steps: 40, meets: meets, width: width, first: 1,
    environment: replay.map { ["STRATA_MODEL_REPLAY": $0] } ?? [:]
  ) { WordModel($0, hasFault: hasFault) }
}

/// The value of `STRATA_MODEL_REPLAY` that a failure prints.
private func replay(of failure: ModelFailure) -> String {
  String(failure.replay.dropFirst("STRATA_MODEL_REPLAY=\"".count).dropLast())
}

@Suite struct `A test of a model` {
  @Test func `passes if the code equals the model`() async {
    let failure = await wordTest(hasFault: false).firstFailure()
    #expect(failure == nil)
  }

  @Test func `finds a planted fault`() async throws {
    let failure = try #require(await wordTest(hasFault: true).firstFailure(isShrunk: false))
    #expect(failure.complaint.hasPrefix("the words: found ["))
  }

  @Test func `shrinks a failing sequence to the steps that it needs`() async throws {
    let failure = try #require(await wordTest(hasFault: true).firstFailure())
    #expect(failure.stepCount == 3)
    let steps = failure.trace.filter { !$0.hasPrefix(" ") }
    #expect(steps.sorted() == ["add", "at the end", "clear", "look"])
  }

  @Test func `prints the seed, the complaint, the steps and how to replay them`() async throws {
    let failure = try #require(await wordTest(hasFault: true).firstFailure())
    let lines = failure.description.split(separator: "\n")
    #expect(lines[0].hasPrefix("words: seed \(failure.seed), 3 steps: the words: found ["))
    #expect(lines.contains("  clear") && lines.contains { $0.hasPrefix("    ") })
    #expect(lines.last?.hasPrefix("  STRATA_MODEL_REPLAY=\"words: \(failure.seed): ") == true)
  }

  @Test func `replays exactly the printed failure`() async throws {
    let failure = try #require(await wordTest(hasFault: true).firstFailure())
    let text = replay(of: failure)
    let again = await wordTest(hasFault: true, replay: text).firstFailure()
    #expect(again == failure)
    let repaired = await wordTest(hasFault: false, replay: text).firstFailure()
    #expect(repaired == nil)
  }

  @Test func `leaves the replay of another test alone`() async {
    let failure = await wordTest(hasFault: true, replay: "others: 1: 0-39").firstFailure()
    #expect(failure == nil)
  }

  @Test func `finds the same fault again with the same seed`() async {
    let first = await wordTest(hasFault: true).firstFailure()
    let second = await wordTest(hasFault: true).firstFailure()
    #expect(first == second)
  }

  @Test(arguments: [1, 4])
  func `goes on until it has met with all events, and complains if that takes too long`(
    width: Int
  ) async throws {
    // Its sequences look 20 times at least, and 800 times at most.
    for count in [20, 900] {
      let failure = await wordTest(hasFault: false, width: width, meets: ["looks": count])
        .firstFailure()
      #expect(failure == nil)
    }
    let failure = try #require(
      await wordTest(hasFault: false, width: width, meets: ["looks": 9_000, "sleeps": 1])
        .firstFailure())
    #expect(failure.complaint.hasPrefix("met with looks "))
    #expect(failure.complaint.hasSuffix("times, not 9000, sleeps 0 times, not 1"))
  }
}

@Suite struct `A shrinker` {
  @Test func `finds the few steps that fail among many`() {
    var shrinker = Shrinker(Array(0..<1_000), limit: 500, simpler: Shrinker<[Int]>.leavingOut)
    while let steps = shrinker.next() {
      if steps.contains(17), steps.contains(803) { shrinker.keep(steps) }
    }
    #expect(shrinker.best == [17, 803])
  }

  @Test func `proposes no more forms than its limit`() {
    var shrinker = Shrinker(Array(0..<1_000), limit: 5, simpler: Shrinker<[Int]>.leavingOut)
    var count = 0
    while shrinker.next() != nil { count += 1 }
    #expect(count == 5)
  }
}

@Suite struct `The seeds of a run` {
  @Test func `are handed out once each`() {
    let run = SeedRun(first: 5, count: 3)
    let seeds = (0..<4).map { _ in run.next() }
    #expect(seeds == [5, 6, 7, nil])
  }

  @Test func `end with the last failure that is wanted`() {
    let run = SeedRun(first: 1, count: 9, failureCountMax: 2)
    #expect(run.fail() && run.next() == 1)
    #expect(run.fail() && run.next() == nil)
    #expect(!run.fail())
  }
}
