// SPDX-License-Identifier: Apache-2.0
// error: 'Entity' is the name of a protocol of Strata, which the class would hide
//
// A class with the name that the macro needs for the protocol.

import Strata

@Entity final class Entity: ManagedObject {
  var name: String
}
