// SPDX-License-Identifier: Apache-2.0
import StrataRecord

extension SavePlan {
  /// Plans the entries of one index that come and go with the objects of `section`.
  mutating func addEntries(of section: Section, _ index: IndexSchema) {
    var changes = IndexChangesBuilder(index, of: section)
    for place in section.items.indices { changes.append(section.items, at: place) }
    indexes.append(changes.finished())
  }
}
