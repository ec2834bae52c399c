// SPDX-License-Identifier: Apache-2.0
import Foundation
import StrataTestSupport
import Testing

@Suite struct `The quickstart imports tables` {
  @Test func `the sample that comes with it, whose facts are known`() throws {
    let directory = try TemporaryDirectory()
    let store = directory.file("geonames.strata").path
    let first = try QuickstartRun("--store", store)
    try #require(first.exitCode == 0, "\(first.standardError)")
    #expect(first.facts["store"] == store)
    #expect(first.facts["imported"] == "35129")
    #expect(first.facts["continents"] == "7")
    #expect(first.facts["countries"] == "252")
    #expect(first.facts["cities"] == "34006")
    #expect(first.facts["timezones"] == "356")
    #expect(first.facts["languages"] == "508")
    #expect(first.facts["neighbour-pairs"] == "331")
    #expect(first.facts["city-1"] == "Shanghai 24874500")
    #expect(first.facts["city-8"] == "Ho Chi Minh City 14002598")
    #expect(first.facts["city-10"] == "Lahore 13004135")
    #expect(first.facts["cities-in-AF"] == "4032")
    #expect(first.facts["cities-in-AN"] == "2")
    #expect(first.facts["cities-in-AS"] == "12523")
    #expect(first.facts["cities-in-EU"] == "8135")
    #expect(first.facts["cities-in-NA"] == "5191")
    #expect(first.facts["cities-in-OC"] == "438")
    #expect(first.facts["cities-in-SA"] == "3685")
    #expect(Int(first.facts["ui-reads"] ?? "") ?? 0 > 0)
    #expect(Int(first.facts["ui-read-max-us"] ?? "") ?? 0 > 0)
  }

  @Test func `a folder of one's own, into a store whose folder is not there yet`() throws {
    let data = try DataFolder(cityCount: 2_500)
    let run = try QuickstartRun("--data", data.write(), "--store", data.store)
    try #require(run.exitCode == 0, "\(run.standardError)")
    #expect(run.facts["cities"] == "2500")
    #expect(run.facts["timezones"] == "5")
    #expect(run.facts["languages"] == "2")
    #expect(run.facts["neighbour-pairs"] == "2")
    #expect(run.facts["city-1"] == "City 2500 2500")
    #expect(run.facts["cities-in-XX"] == "1667")
    #expect(run.facts["cities-in-YY"] == "833")
  }

  @Test func `once: a second run finds the same facts and imports nothing`() throws {
    let data = try DataFolder(cityCount: 2_500)
    let first = try QuickstartRun("--data", data.write(), "--store", data.store)
    let second = try QuickstartRun("--data", data.write(), "--store", data.store)
    #expect(second.exitCode == 0, "\(second.standardError)")
    #expect(first.facts["imported"] == "2512")
    #expect(second.facts["imported"] == "0")
    let measured: Set = ["imported", "ui-reads", "ui-read-max-us"]
    #expect(
      first.facts.filter { !measured.contains($0.key) }
        == second.facts.filter { !measured.contains($0.key) })
  }

  @Test func `again, where a line has changed: the object changes and none is new`() throws {
    var data = try DataFolder(cityCount: 20)
    _ = try QuickstartRun("--data", data.write(), "--store", data.store)
    data.setLine(5, "4\tGrown\t0\t0\tAA\t99\tZone/1\t")
    let run = try QuickstartRun("--data", data.write(), "--store", data.store)
    #expect(run.facts["imported"] == "0")
    #expect(run.facts["cities"] == "20")
    #expect(run.facts["city-1"] == "Grown 99")
  }

  @Test func `and reports progress, in plain lines if stderr is no terminal`() throws {
    let data = try DataFolder(cityCount: 4_000)
    let run = try QuickstartRun("--data", data.write(), "--store", data.store)
    #expect(run.standardError.hasPrefix("cities: "))
    #expect(run.standardError.hasSuffix("cities: 100 %\n"))
    #expect(!run.standardError.contains("\r"))
  }
}
