// SPDX-License-Identifier: Apache-2.0

#if Tool
  import ArgumentParser
  import Foundation

  /// The program: it parses the arguments, runs the command, and ends with a stated exit code.
  @main enum StrataTool {
    static func main() async {
      var command = StrataCommand.parseOrExit()
      do {
        if var command = command as? any AsyncParsableCommand {
          try await command.run()
        } else {
          try command.run()
        }
      } catch  where StrataCommand.exitCode(for: error) != .failure {
        // An error of the parser: also a request for help is one.
        StrataCommand.exit(withError: error)
      } catch let error as ExitCode {
        Foundation.exit(error.rawValue)
      } catch {
        StandardError.write("strata: \(error)")
        Foundation.exit(ToolExit(error).rawValue)
      }
    }
  }

  /// The commands.
  struct StrataCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "strata",
      abstract: "Looks into stores of Strata, checks, copies and salvages them.",
      discussion: """
        A store is opened with the model that it has inside; the program's classes are not needed. \
        Commands that only read may run beside programs that have the store open, and change \
        nothing in its file.

        Exit codes: 0 done; 1 done, and the answer is bad (damage, lost data, a migration that \
        cannot be inferred); 64 wrong arguments; 65 no store, damaged, or no dump or model; 66 no \
        such file; 70 unknown error; 73 the output exists, or its folder does not; 74 reading or \
        writing failed, or a port is taken; 75 the store is in use; 77 a permission is missing.
        """,
      subcommands: [
        InfoCommand.self, ModelCommand.self, FetchCommand.self, ExplainCommand.self,
        BrowseCommand.self, StatCommand.self, CheckCommand.self, SalvageCommand.self,
        DumpCommand.self,
        LoadCommand.self, BackupCommand.self, CompactCommand.self, HistoryCommand.self,
        PruneCommand.self, MigrateCommand.self, ManualCommand.self,
      ])

    /// Parses the arguments of the process. Wrong arguments and requests for help end it.
    static func parseOrExit() -> any ParsableCommand {
      do { return try parseAsRoot() } catch { exit(withError: error) }
    }
  }
#else
  import Foundation

  /// Without the trait there is no parser of arguments.
  @main enum StrataTool {
    static func main() {
      let message =
        "strata was built without the trait Tool. Build it with: swift build --traits Tool "
        + "--product strata\n"
      FileHandle.standardError.write(Data(message.utf8))
      exit(69)
    }
  }
#endif
