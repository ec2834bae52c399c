// SPDX-License-Identifier: Apache-2.0
// error: var 'capital' is not concurrency-safe
//
// An object in a global variable.

import Strata

@Entity final class Town: ManagedObject { var name: String }

var capital: Town?
