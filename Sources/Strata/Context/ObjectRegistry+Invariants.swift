// SPDX-License-Identifier: Apache-2.0
import StrataModel
import StrataPrimitives

extension ObjectRegistry: CheckedInvariants {
  package var brokenInvariant: String? {
    let areBound = cache.objects.allSatisfy { object in
      let index = Int(object.key.entity.rawValue)
      return index < bindings.count && bindings[index] === object.binding
    }
    if !areBound {
      return """
        I1 Each entity has at most one binding, and each object in `cache` has the binding of its \
        entity.
        """
    }
    if leaving.contains(where: { cache.registeredObject(for: $0.key) === $0 }) {
      return "I2 No object in `leaving` is registered."
    }
    return nil
  }

  /// Stops the program with the sentence of an invariant of the cache that does not hold, in every
  /// build.
  package func requireCacheInvariants() { cache.requireInvariants() }
}
