// SPDX-License-Identifier: Apache-2.0
import StrataTestSupport

/// What can be fuzzed: one structure or format, in one file.
protocol Subject: SendableMetatype {
  /// The word on the command line, and the folder in Fuzz/Corpus.
  static var name: String { get }

  /// How many operations of a run of all subjects one operation of this subject counts as: more
  /// than 1 if it takes more time than an operation on bytes in memory.
  static var weight: Int { get }

  /// What the operations so far were, in words; nil if a subject does not count them.
  static var tally: String? { get }

  /// Does one thing with any bytes at all, and throws if what must hold did not.
  static func probe(_ bytes: UnsafeRawBufferPointer) throws(Finding)

  /// Does one random operation against a naive model.
  static func step(_ random: inout SeededGenerator) throws(Finding)
}

extension Subject {
  static var weight: Int { 1 }
  static var tally: String? { nil }

  /// Probes bytes that end where their allocation ends, so that a sanitizer sees a read beyond.
  static func probe(exactly bytes: [UInt8]) throws(Finding) {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    defer { memory.deallocate() }
    memory.copyBytes(from: bytes)
    try probe(UnsafeRawBufferPointer(memory))
  }
}

/// What must hold and did not.
struct Finding: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// Throws a finding unless `condition` holds.
func require(_ condition: Bool, _ sentence: @autoclosure () -> String) throws(Finding) {
  guard condition else { throw Finding(sentence()) }
}

/// The value that a subject needs before its first operation. An error ends the process.
func orTrap<Value>(_ problem: String, _ make: () throws -> Value) -> Value {
  do { return try make() } catch { preconditionFailure("\(problem): \(error)") }
}

/// Every subject that a run of all has, by the word that names it.
let subjects: [any Subject.Type] = [
  RecordSubject.self, FormatSubject.self, KeysSubject.self, PostingsSubject.self,
  PagesSubject.self, HistorySubject.self, StoreSubject.self, PredicateSubject.self,
  SegmentsSubject.self, MigrationSubject.self, RenamingSubject.self, DumpSubject.self,
]
