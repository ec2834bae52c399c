// SPDX-License-Identifier: Apache-2.0
// warning: 'subscript(dynamicMember:)' is deprecated: a fetch counts no characters
//
// This compiles, with a warning: the compiler passes over an unavailable overload for the general
// one, which leads to a member of any type. The fetch throws.

import Strata

@Entity final class Town: ManagedObject {
  var name: String = ""
}

func longNames() -> FetchRequest<Town> { Town.where { $0.name.count > 3 } }
