// SPDX-License-Identifier: Apache-2.0

#if Observability
  import StrataModel
  import StrataPrimitives

  /// An error without values of objects, for spans.
  ///
  /// A tracer may print all that an error contains, and an error of Strata may contain values, as a
  /// conflict does. So it gets the explanation, which has none. Of an error of the program's own it
  /// gets the name of the type.
  struct RecordedError: Error, CustomStringConvertible {
    /// The name of the type of the original error.
    let typeName: String
    let description: String

    init(_ error: any Error) {
      typeName = String(describing: type(of: error))
      description = ErrorExplanation(ofCause: error, in: "error").text
    }
  }
#endif
