// SPDX-License-Identifier: Apache-2.0
//
// Where the compiler enters: it starts this program and asks it to expand macros. Three builds of
// it: without macros (the trait is off), with swift-syntax (users), with the toolchain's copy of
// swift-syntax (work on Strata itself; see Package.swift).

#if !Macros
  @main struct NoMacros { static func main() {} }
#elseif TOOLCHAIN_SWIFTSYNTAX
  @_spi(PluginMessage) import SwiftCompilerPluginMessageHandling
  import SwiftSyntaxMacros

  /// The work of SwiftCompilerPlugin; the toolchain ships all of swift-syntax except that.
  @main struct Plugin: PluginProvider {
    static func main() throws {
      let connection = try StandardIOMessageConnection()
      try CompilerPluginMessageListener(connection: connection, provider: Plugin()).main()
    }

    func resolveMacro(moduleName: String, typeName: String) throws -> any Macro.Type {
      guard let type = allMacros.first(where: { String(describing: $0) == typeName }) else {
        throw UnknownMacro(typeName: typeName)
      }
      return type
    }
  }

  struct UnknownMacro: Error { let typeName: String }
#else
  import SwiftCompilerPlugin
  import SwiftSyntaxMacros

  @main struct Plugin: CompilerPlugin {
    var providingMacros: [any Macro.Type] { allMacros }
  }
#endif

#if Macros
  var allMacros: [any Macro.Type] {
    [EntityMacro.self, MarkerMacro.self, PersistedMacro.self]
  }
#endif
