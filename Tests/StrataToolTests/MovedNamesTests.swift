// SPDX-License-Identifier: Apache-2.0
import Foundation
import RenamingModel
import Strata
import StrataTestSupport
import Testing

@Suite(.enabled(if: ToolProcess.isThere, "the trait Tool is off"))
struct `A store whose names have moved` {
  private let folder: TemporaryDirectory
  private let store: NamedStore
  private let exchanged = NamedModel("E: a<b b<a")
  private let moved: NamedContent = ["E": [["a": "2", "b": "1"], ["b": "3"]]]

  init() throws {
    folder = try TemporaryDirectory()
    store = NamedStore(at: folder.file("store"))
    try store.make(NamedModel("E: a b"), ["E": [["a": "1", "b": "2"], ["a": "3"]]])
  }

  /// Opens a copy with the model, and with the next one.
  private func expectMoved(_ copy: URL) throws {
    let copy = NamedStore(at: copy)
    #expect(try copy.content(exchanged) == moved)
    #expect(try copy.content(NamedModel("E: a<b b<a later")) == moved)
  }

  @Test func `is dumped and loaded with the moves that it has carried out`() throws {
    try store.open(exchanged)
    let lines = try ToolProcess.run("dump", store.url.path)
    #expect(lines.exitCode == 0, "\(lines.errors)")
    try lines.bytes.write(to: folder.file("dump"))
    let copy = folder.file("loaded")
    let outcome = try ToolProcess.run("load", copy.path, input: folder.file("dump"))
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    try expectMoved(copy)
  }

  @Test func `is salvaged and backed up with the moves that it has carried out`() throws {
    try store.open(exchanged)
    for command in ["salvage", "backup"] {
      let copy = folder.file(command)
      let outcome = try ToolProcess.run(command, store.url.path, copy.path)
      #expect(outcome.exitCode == 0, "\(command): \(outcome.errors)")
      try expectMoved(copy)
    }
  }

  @Test func `has its moves listed before they are carried out, and not afterwards`() throws {
    let present = try ToolProcess.run("model", store.url.path, "--json").output
      .replacingOccurrences(of: #""name":"a""#, with: #""name":"a","originalName":"b""#)
      .replacingOccurrences(of: #""name":"b""#, with: #""name":"b","originalName":"a""#)
    let file = folder.file("model.json")
    try Data(present.utf8).write(to: file)
    let lines = try ToolProcess.run("migrate", store.url.path, file.path, "--dry-run").lines
    #expect(lines.contains { $0.contains("E.b is E.a") }, "\(lines)")
    #expect(lines.contains { $0.contains("E.a is E.b") }, "\(lines)")
    try store.open(exchanged)
    let later = try ToolProcess.run("migrate", store.url.path, file.path, "--dry-run")
    #expect(later.output == "The store has this model.\n", "\(later.output)")
  }
}
