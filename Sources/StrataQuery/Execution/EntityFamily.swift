// SPDX-License-Identifier: Apache-2.0
import StrataModel

/// The entities of a plan's results, in the form in which each entry of an index is tested for
/// them.
struct EntityFamily {
  /// The entity, if there is only one.
  let only: EntityNumber?
  /// The entities, if there are several; else empty.
  private let several: [EntityNumber]

  init(_ entities: [EntityNumber]) {
    only = entities.count == 1 ? entities[0] : nil
    several = only == nil ? entities : []
  }

  @inline(__always)
  func contains(_ entity: EntityNumber) -> Bool {
    if let only { return entity == only }
    return several.contains(entity)
  }
}
