// SPDX-License-Identifier: Apache-2.0

#if Tool
  import ArgumentParser
  import Foundation
  import Strata
  import StrataDump

  /// `strata browse`.
  struct BrowseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "browse", abstract: "Shows a store in a web browser.",
      discussion: """
        It prints the address of a page on this machine, which lists entities and objects, \
        filters and sorts them, follows relationships, shows plans and the history, and says when \
        a program saves to the store. The address has a secret token: do not pass it on. \
        Control-C ends it.

        The store stays as it is, unless --allow-changes is given: then values of attributes can \
        be edited, and objects deleted. A store does not keep the rules, derivations and delete \
        rules of the program's classes, so changes are not checked against them.
        """)

    @OptionGroup var store: StoreArgument

    @Option(help: "The port on 127.0.0.1; without it, a free one.")
    var port: UInt16 = 0

    @Flag(help: "Let pages edit values of attributes and delete objects.")
    var allowChanges = false

    @Flag(inversion: .prefixedNo, help: "Open the page in your web browser.")
    var open = false

    @OptionGroup var report: ReportOptions

    func run() throws {
      let coordinator = try store.open(isReadOnly: !allowChanges)
      let server = try LoopbackServer(port: port)
      let access = BrowserAccess(port: server.port)
      let browsed = BrowsedStore(coordinator, name: store.url.lastPathComponent)
      let browser = StoreBrowser(browsed, access)
      let interruption = Interruption()
      Thread { server.run(browser) }.start()
      try announce(access.address, server.port)
      if open { WebBrowser.open(access.makeTicketAddress()) }
      interruption.wait()
      browsed.watch.end()
      server.stop(within: .seconds(5))
    }

    private func announce(_ address: String, _ port: UInt16) throws {
      var output = StandardOutput()
      if report.json {
        try output.writeLine(
          .object([
            "url": .string(address), "port": .integer(port), "allowsChanges": .bool(allowChanges),
          ]))
      } else {
        try output.writeLine(address)
      }
      try output.flush()
      guard StandardError.isTerminal else { return }
      let mode = allowChanges ? "Changes are allowed" : "The store is read-only"
      StandardError.write("\(mode). Open the address in a browser; Control-C ends this.")
    }
  }
#endif
