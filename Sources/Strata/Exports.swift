// SPDX-License-Identifier: Apache-2.0

// `import Strata` is all that a user writes: the public names of the layers below come with it.
@_exported public import StrataChanges
@_exported public import StrataModel
@_exported public import StrataQuery
@_exported public import StrataRecord
@_exported public import StrataStore

// The type of `order:` in `sorted(by:order:)`, so that `.reverse` needs no other import.
@_exported public import enum Foundation.SortOrder
