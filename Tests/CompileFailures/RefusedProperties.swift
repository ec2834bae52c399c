// SPDX-License-Identifier: Apache-2.0
// error: 'subscript(slot:as:)' is unavailable: a to-many relationship is a 'ToMany'
// error: 'property(_:_:as:default:)' is unavailable: a to-many relationship is a 'ToMany'
// error: 'subscript(slot:as:)' is unavailable: a to-one relationship is optional
// error: 'property(_:_:as:default:)' is unavailable: a to-one relationship is optional
// error: a to-many relationship is not a 'ToMany<Town>?': write 'ToMany<Town>'
// error: a to-many relationship is not a '[Town]': write 'OrderedToMany<Town>'
//
// Types that programs try for relationships, each refused with the type to write instead.

import Strata

@Entity final class Land: ManagedObject {
  var list: [Town]
  var optionalList: [Town]?
  var set: Set<Town>
  var emptyList: [Town] = []
  var optionalTowns: ToMany<Town>?
  @Relationship var marked: [Town]
}

@Entity final class Town: ManagedObject {
  var land: Land
}
