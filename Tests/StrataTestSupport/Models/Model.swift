// SPDX-License-Identifier: Apache-2.0

/// Random work that is done twice, by the code and by something naive, and compared. A `ModelTest`
/// runs it.
///
/// A step draws from `random` alone. It is known by its number in the sequence: others can be left
/// out, and it still draws the same. That is how a failing sequence is shrunk and replayed.
public protocol Model: SendableMetatype {
  /// The random numbers of the step under way. The model is made with those of its setup; each step
  /// gets its own.
  var random: ModelRandom { get set }

  /// The kinds of steps that there are.
  static var operations: [ModelOperation<Self>] { get }

  /// Compares, after each step. Throws a `ModelDifference`, or whatever the code throws.
  mutating func check() throws

  /// Compares after the last step.
  mutating func finish() async throws
}

extension Model {
  public mutating func check() throws {}
  public mutating func finish() async throws {}

  /// Draws a kind of step and takes it. A model does so itself inside a step that consists of
  /// others.
  public mutating func step() throws {
    guard let operation = random.draw(from: Self.operations) else { return }
    random.note(operation.name)
    try operation.body(&self)
  }
}

/// A kind of step.
public struct ModelOperation<M> {
  /// The name of the step in a printed failure.
  public let name: String
  /// How often it is drawn beside the others.
  public let weight: Int
  public let body: (inout M) throws -> Void

  public init(
    _ name: String, weight: Int = 1, _ body: @escaping (inout M) throws -> Void
  ) {
    (self.name, self.weight, self.body) = (name, weight, body)
  }
}

/// The code and the naive model are not of one mind.
public struct ModelDifference: Error, CustomStringConvertible {
  public let description: String

  public init(_ description: String) { self.description = description }
}

/// - Throws: a `ModelDifference` if the two are not equal.
public func expectSame<T: Equatable>(
  _ found: T, _ expected: T, _ what: @autoclosure () -> String
) throws {
  if found != expected {
    throw ModelDifference("\(what()): found \(found), expected \(expected)")
  }
}

/// - Throws: a `ModelDifference` if there are any complaints.
public func expectNone(_ complaints: [String]) throws {
  if !complaints.isEmpty { throw ModelDifference(complaints.joined(separator: "; ")) }
}
