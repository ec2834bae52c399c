// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@Suite struct `A mistake that the compiler cannot find` {
  @Test(arguments: Misuse.allCases)
  func `stops the program with its sentence`(misuse: Misuse) async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [misuse] in
      try misuse.commit()
    }
    let said = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
    #expect(said.contains(misuse.sentence))
  }

  @Test func `has a test for each declaration whose documentation allows the stop`() throws {
    #expect(try Self.documentedStops() == Set(Misuse.documented.keys))
    let tested = Set(Misuse.documented.values.joined()).union(Misuse.documentedByPages)
    #expect(tested == Set(Misuse.allCases))
  }

  /// The public declarations whose documentation has a precondition, or says that the program
  /// stops, as file and name.
  private static func documentedStops() throws -> Set<String> {
    let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appending(path: "../../..").standardized
    let sources = repository.appending(path: "Sources")
    var found: Set<String> = []
    for case let url as URL in FileManager.default.enumerator(
      at: sources, includingPropertiesForKeys: nil) ?? FileManager.DirectoryEnumerator()
    where url.pathExtension == "swift" {
      var comment = ""
      for line in try String(contentsOf: url, encoding: .utf8).split(separator: "\n") {
        let code = line.trimmingPrefix(while: \.isWhitespace)
        let words = code.split { !$0.isLetter }.map(String.init)
        if code.hasPrefix("///") {
          comment += code.dropFirst(3)
        } else if !code.hasPrefix("//"), !code.hasPrefix("@") || words.contains("public") {
          let isPublic = words.contains("public") || words.contains("open")
          if isPublic, allowsStop(comment), let name = name(of: words) {
            found.insert("\(url.lastPathComponent) \(name)")
          }
          comment = ""
        }
      }
    }
    return found
  }

  private static func allowsStop(_ comment: String) -> Bool {
    comment.contains("- Precondition:")
      || comment.contains(/[Ss]tops? the program|program stops/)
  }

  private static func name(of declaration: [String]) -> String? {
    let kinds = ["func", "var", "let", "init", "subscript", "class", "struct", "actor", "protocol"]
    guard let index = declaration.firstIndex(where: { kinds.contains($0) }) else { return nil }
    if ["init", "subscript"].contains(declaration[index]) { return declaration[index] }
    return index + 1 < declaration.count ? declaration[index + 1] : nil
  }
}
