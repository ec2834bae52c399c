// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataTestSupport
import Testing

@Suite struct `The quickstart reports errors` {
  @Test(arguments: [
    ("1500\tCity\t1\t2\tAA\t3\tZone/1", "expected 8 columns, found 7"),
    ("1500\tCity\t1\t2\tAA\t3\tZone/1\t\t", "expected 8 columns, found 9"),
    ("", "expected 8 columns, found 1"),
    ("x\tCity\t1\t2\tAA\t3\tZone/1\t", "expected a whole number in column geonameid"),
    ("1500\tCity\tnorth\t2\tAA\t3\tZone/1\t", "expected a number in column latitude"),
    ("1500\tCity\t1\t2\tAA\t3.5\tZone/1\t", "expected a whole number in column population"),
    ("1500\tCity\t1\t2\tZZ\t3\tZone/1\t", "unknown country ZZ"),
  ])
  func `about a malformed line, and imports whole batches only`(
    row: String, problem: String
  ) throws {
    var data = try DataFolder(cityCount: 2_500)
    let line = 1_501
    let sound = data.cities[line - 2]
    data.setLine(line, row)
    let failed = try QuickstartRun("--data", data.write(), "--store", data.store)
    #expect(failed.exitCode == 65)
    #expect(failed.standardError.hasSuffix("cities.tsv:\(line): \(problem)\n"))
    #expect(failed.facts["cities"] == nil)

    // The first batch of 1,000 is there, and nothing of the second: the rest is new to a second
    // run.
    data.setLine(line, sound)
    let repaired = try QuickstartRun("--data", data.write(), "--store", data.store)
    #expect(repaired.exitCode == 0, "\(repaired.standardError)")
    #expect(repaired.facts["imported"] == "1500")
    #expect(repaired.facts["cities"] == "2500")
  }

  @Test func `about a table with other columns`() throws {
    let data = try DataFolder(cityCount: 1)
    let folder = try data.write()
    try Data("code\ttitle\n".utf8).write(to: data.directory.file("continents.tsv"))
    let run = try QuickstartRun("--data", folder, "--store", data.store)
    #expect(run.exitCode == 65)
    #expect(run.standardError == "continents.tsv:1: expected the columns code, name\n")
  }

  @Test func `about a folder that is not there`() throws {
    let directory = try TemporaryDirectory()
    let folder = directory.file("nowhere")
    let run = try QuickstartRun(
      "--data", folder.path, "--store", directory.file("test.strata").path)
    #expect(run.exitCode == 66)
    let path = folder.appendingPathComponent("continents.tsv").path
    #expect(run.standardError == "quickstart: cannot read \(path): there is no such file\n")
  }

  @Test func `about a store that cannot be created, or is no store`() throws {
    let data = try DataFolder(cityCount: 1)
    let table = try data.write() + "/cities.tsv"
    let inFile = try QuickstartRun("--data", data.write(), "--store", table + "/test.strata")
    #expect(inFile.exitCode == 73)
    #expect(inFile.standardError.hasPrefix("quickstart: cannot make \(table): "))
    let isTable = try QuickstartRun("--data", data.write(), "--store", table)
    #expect(isTable.exitCode == 1)
    #expect(
      isTable.standardError.hasPrefix("quickstart: The file at \(table) is not a Strata store"))
  }

  @Test(arguments: [
    (["--frobnicate"], "unknown argument --frobnicate"),
    (["geonames"], "unknown argument geonames"),
    (["--data"], "--data needs a path"),
    (["--store", "--data", "geonames"], "--store needs a path"),
  ])
  func `about arguments`(arguments: [String], problem: String) throws {
    let run = try QuickstartRun(arguments)
    #expect(run.exitCode == 64)
    #expect(run.standardError == "quickstart: \(problem)\nTry quickstart --help.\n")
    #expect(run.facts.isEmpty)
  }

  @Test func `and lists its arguments with --help`() throws {
    let run = try QuickstartRun("--help")
    #expect(run.exitCode == 0)
    #expect(run.facts["usage:"] == "quickstart [--data DIR] [--store PATH]")
  }
}
