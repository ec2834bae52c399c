// SPDX-License-Identifier: Apache-2.0

// The way in which Strata stops a program: by a sentence on standard error, in every build. The
// standard library's `precondition` prints its message in builds without optimization only, and
// Strata is optimized in the debug builds of programs, too. `.ci/check-style` refuses it in
// Sources.
//
// For a mistake of the program the sentence names the call or the entity, and the cure. It has none
// of the user's values: standard error may end in a log.

/// Stops the program with `sentence`, in every build.
///
/// - Parameters:
///   - sentence: the mistake of the program, and the remedy.
///   - file: the place of the check, which is printed before the sentence.
///   - line: the line of the check in that file.
@inline(never) @usableFromInline
package func stopProgram(
  _ sentence: String, file: StaticString = #fileID, line: UInt = #line
) -> Never {
  fatalError(sentence, file: file, line: line)
}

/// Stops the program with `sentence`, in every build, unless `condition` holds.
///
/// - Parameters:
///   - condition: the condition that a correct program fulfils.
///   - sentence: as for `stopProgram`; it is made only if the program stops.
///   - file: the place of the check, which is printed before the sentence.
///   - line: the line of the check in that file.
@inlinable @inline(__always)
package func require(
  _ condition: @autoclosure () -> Bool, _ sentence: @autoclosure () -> String,
  file: StaticString = #fileID, line: UInt = #line
) {
  if !condition() { stopProgram(sentence(), file: file, line: line) }
}
