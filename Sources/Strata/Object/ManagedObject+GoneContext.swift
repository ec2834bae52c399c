// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataPrimitives

/// The operations for which an object needs its context.
enum ContextNeed {
  /// Reading a value that is not in memory.
  case value(slot: Int)
  /// Reading a relationship.
  case relationship(slot: Int)
  /// Setting an attribute or a relationship.
  case setting(slot: Int)
  /// Listing changes.
  case changes
  /// Listing the failures of a save.
  case validation

  fileprivate func text(_ entity: EntityDescription) -> String {
    func name(_ slot: Int) -> String { "\(entity.name).\(entity.properties[slot].name)" }
    return switch self {
    case .value(let slot): "the value of \(name(slot)) cannot be loaded"
    case .relationship(let slot): "the relationship \(name(slot)) cannot be read"
    case .setting(let slot): "\(name(slot)) cannot be set"
    case .changes: "the changes of this \(entity.name) are not known"
    case .validation: "this \(entity.name) cannot be validated"
    }
  }
}

extension ManagedObject {
  /// The object's context; nil if the object had left it before it was deallocated.
  ///
  /// An object whose context is deallocated has no correct value to return: a relationship would
  /// look empty, and a value that is set would be lost. So the program stops.
  @inline(__always)
  final func context(for need: @autoclosure () -> ContextNeed) -> ManagedObjectContext? {
    if let context = binding.context { return context }
    stopIfContextIsGone(need())
    return nil
  }

  /// Stops the program if the context went while the object was one of its objects.
  @inline(never)
  final func stopIfContextIsGone(_ need: ContextNeed) {
    if binding.hasContext || status == .gone || status == .detached { return }
    stopProgram(
      "\(need.text(binding.entity.description)), because the context of \(objectID) was released: "
        + "keep a reference to the context for as long as its objects are in use")
  }
}
