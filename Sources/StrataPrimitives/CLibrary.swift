// SPDX-License-Identifier: Apache-2.0

// The C library under the name that it has here. A file that calls it imports this module.
#if canImport(Darwin)
  @_exported public import Darwin
#elseif canImport(Musl)
  @_exported public import Musl
#else
  @_exported public import Glibc
#endif
