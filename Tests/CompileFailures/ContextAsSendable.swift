// SPDX-License-Identifier: Apache-2.0
// error: conformance of 'ManagedObjectContext' to 'Sendable' is unavailable
//
// A context is given where something `Sendable` is asked for.

import Strata

func keep(_ value: some Sendable) {}

func leak(_ context: ManagedObjectContext) { keep(context) }
