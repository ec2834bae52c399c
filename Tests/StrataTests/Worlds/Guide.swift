// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// Expects that the code of a page is the code that the calling test file runs, word for word: its
/// blocks of Swift are the parts between `begin` and `end` of the file, by their names. The page is
/// a guide of the catalogue of documentation, or a document of Docs.
func expectGuide(
  _ page: String, file: String = #filePath, at location: SourceLocation = #_sourceLocation
) throws {
  let source = URL(fileURLWithPath: file)
  let root = source.deletingLastPathComponent().appending(path: "../../..")
  let guide = root.appending(path: "Sources/Strata/Strata.docc/Guides/\(page)")
  let isGuide = FileManager.default.fileExists(atPath: guide.path)
  let text = try String(
    contentsOf: isGuide ? guide : root.appending(path: "Docs/\(page)"), encoding: .utf8)
  let shown = text.matches(of: #/<!-- (\S+) -->\n```swift\n([\s\S]*?)```/#)
    .map { ["\($0.1)", "\($0.2)"] }
  let code = try String(contentsOf: source, encoding: .utf8)
  let run = code.matches(of: #/( *)// begin (\S+)\n([\s\S]*?) *// end/#)
    .map { match in
      let lines = match.3.split(separator: "\n", omittingEmptySubsequences: false)
      return [
        "\(match.2)", lines.map { String($0.dropFirst(match.1.count)) }.joined(separator: "\n"),
      ]
    }
  #expect(shown == run, sourceLocation: location)
  #expect(shown.count == text.ranges(of: "```swift").count, sourceLocation: location)
}
