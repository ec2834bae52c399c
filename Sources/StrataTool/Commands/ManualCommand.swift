// SPDX-License-Identifier: Apache-2.0

#if Tool
  import ArgumentParser
  import Foundation
  import StrataDump

  /// `strata manual`: man pages, made from the help of the commands.
  struct ManualCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "manual", abstract: "Writes the man pages of the tool into a folder.",
      discussion: """
        They are strata.1 and a page for each command, strata-fetch.1 for example, made from the \
        help of the commands. A folder that man searches is ~/.local/share/man/man1.
        """)

    @Argument(help: "The folder, which is created if it is missing.", completion: .directory)
    var folder: String

    @OptionGroup var report: ReportOptions

    func run() throws {
      let url = URL(fileURLWithPath: folder, isDirectory: true)
      var names: [String] = []
      do {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        for page in ManualPage.all {
          try Data(page.text.utf8).write(to: url.appendingPathComponent(page.fileName))
          names.append(page.fileName)
        }
      } catch let error as CocoaError {
        throw ToolError.output(error.localizedDescription)
      }
      var fields = FieldList()
      fields.add("path", folder)
      fields.add("pages", names.joined(separator: ", "), .strings(names))
      try report.write(fields)
    }
  }

  /// A man page of one command.
  struct ManualPage {
    private let name: String
    private let command: any ParsableCommand.Type

    static var all: [ManualPage] {
      [ManualPage(name: "strata", command: StrataCommand.self)]
        + StrataCommand.configuration.subcommands.map {
          ManualPage(name: "strata-\($0.configuration.commandName ?? "")", command: $0)
        }
    }

    var fileName: String { "\(name).1" }

    /// The page in the language of man(7).
    var text: String {
      let configuration = command.configuration
      var lines = [
        ".TH \(name.uppercased()) 1", ".SH NAME",
        Self.escaped("\(name) - \(configuration.abstract)"), ".SH SYNOPSIS",
      ]
      let help = StrataCommand.helpMessage(for: command, columns: 78)
      let sections = Self.sections(of: help)
      lines.append(Self.escaped(Self.joined(sections.first { $0.title == "USAGE" }?.lines ?? [])))
      if !configuration.discussion.isEmpty {
        lines.append(".SH DESCRIPTION")
        for paragraph in configuration.discussion.split(separator: "\n\n") {
          lines += [".PP", Self.escaped(String(paragraph))]
        }
      }
      for section in sections where section.title != "USAGE" && section.title != "OVERVIEW" {
        lines += [".SH \(section.title)", ".nf"] + section.lines.map(Self.escaped) + [".fi"]
      }
      let others = Self.all.filter { $0.name != name }.map { "\($0.name)(1)" }
      lines += [".SH SEE ALSO", Self.escaped(others.joined(separator: ", "))]
      return lines.joined(separator: "\n") + "\n"
    }

    private struct Section {
      let title: String
      var lines: [String]
    }

    /// The parts of a help text. A title is in capitals and ends with a colon; the text may go on
    /// behind it.
    private static func sections(of help: String) -> [Section] {
      var sections: [Section] = []
      for line in help.split(separator: "\n", omittingEmptySubsequences: false) {
        let parts = line.split(separator: ":", maxSplits: 1)
        if let title = parts.first, title.allSatisfy({ $0.isUppercase || $0 == " " }),
          title.first?.isUppercase == true, line.contains(":")
        {
          sections.append(
            Section(
              title: String(title), lines: parts.dropFirst().map { String($0.drop { $0 == " " }) }))
        } else if !sections.isEmpty, !line.isEmpty {
          sections[sections.count - 1].lines.append(String(line))
        }
      }
      return sections
    }

    private static func joined(_ lines: [String]) -> String {
      lines.map { $0.drop { $0 == " " } }.joined(separator: " ")
    }

    /// Text in which man finds no commands.
    private static func escaped(_ text: String) -> String {
      let escaped = text.split(separator: "\\", omittingEmptySubsequences: false)
        .joined(separator: "\\e").split(separator: "-", omittingEmptySubsequences: false)
        .joined(separator: "\\-")
      return escaped.first == "." || escaped.first == "'" ? "\\&" + escaped : escaped
    }
  }
#endif
