// SPDX-License-Identifier: Apache-2.0
// error: conformance of 'ManagedObject' to 'Sendable' is unavailable: hand over the objectID
//
// An object is given where something `Sendable` is asked for.

import Strata

@Entity final class Town: ManagedObject { var name: String }

func keep(_ value: some Sendable) {}

func leak(_ town: Town) { keep(town) }
