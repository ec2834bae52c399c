// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import Testing

/// An object with a description of its own.
@Entity private final class Labelled: ManagedObject {
  var label: String
  override var description: String { "the one with the label \(label)" }
}

@Suite struct `A printed object` {
  private let container: PersistentContainer
  private let (country, city): (ObjectID, ObjectID)

  init() throws {
    container = try geography()
    (country, city) = try container.root.performAndWait { context in
      let country = context.country("IR", name: "Iran")
      let city = context.city("Shiraz", population: 7, in: country)
      try context.save()
      return (country.objectID, city.objectID)
    }
  }

  @Test func `shows its entity, its ID, attributes and targets, and no members`() throws {
    let context = ManagedObjectContext(parent: container.root)
    let found = try context.existingObject(City.self, with: city)
    #expect(
      "\(found)" == """
        City \(city) (name: "Shiraz", population: 7, note: nil, country: Country \(country))
        """)
    let land = try context.existingObject(Country.self, with: country)
    #expect(
      "\(land)" == """
        Country \(country) (iso: "IR", name: "Iran", population: 0, government: nil)
        """)
  }

  @Test func `fires no fault, and neither does a dump`() throws {
    let context = ManagedObjectContext(parent: container.root)
    let fault = try context.object(City.self, with: city)
    #expect("\(fault)" == "City \(city) (fault)")
    var dumped = ""
    dump(fault, to: &dumped)
    #expect(dumped.contains("fault") && !dumped.contains("Shiraz"))
    #expect(fault.isFault)
    let found = try context.existingObject(City.self, with: city)
    _ = found.description
    #expect(try context.object(Country.self, with: country).isFault)
  }

  @Test func `shows unsaved values, and its state`() throws {
    let context = ManagedObjectContext(parent: container.root)
    let new = context.city("Yazd", population: 3)
    #expect(
      "\(new)" == """
        City \(new.objectID) (inserted, name: "Yazd", population: 3, note: nil, country: nil)
        """)
    let found = try context.existingObject(City.self, with: city)
    found.population = 8
    #expect("\(found)".contains("(updated, name: \"Shiraz\", population: 8,"))
    context.processPendingChanges()
    #expect("\(found)".contains("(updated, name: \"Shiraz\", population: 8,"))
    context.delete(found)
    #expect("\(found)".contains("(deleted, name: \"Shiraz\", population: "))
    context.reset()
    #expect("\(found)" == "City \(city) (detached)")
  }

  @Test func `shows its ID after its context has gone`() throws {
    func orphan() throws -> City {
      try ManagedObjectContext(parent: container.root).existingObject(City.self, with: city)
    }
    let found = try orphan()
    #expect("\(found)" == "City \(city) (without context)")
  }

  @Test func `cuts long texts, counts bytes and keeps to one line`() throws {
    let context = ManagedObjectContext(parent: container.root)
    let long = context.city(String(repeating: "x", count: 10_000) + "y")
    #expect("\(long)".contains("\"…") && "\(long)".count < 300)
    let lines = context.city("a\nb")
    #expect("\(lines)".contains(#"name: "a\nb""#))
    try republic().root.performAndWait { context in
      let painting = Painting(context: context)
      painting.scan = Data(repeating: 1, count: 2_000)
      #expect("\(painting)".contains("scan: 2000 bytes"))
      context.processPendingChanges()
      #expect("\(painting)".contains("scan: 2000 bytes"))
    }
  }

  @Test func `is dumped with its values, and without other objects`() throws {
    let context = ManagedObjectContext(parent: container.root)
    let found = try context.existingObject(City.self, with: city)
    let children = Array(Mirror(reflecting: found).children)
    #expect(
      children.map { $0.label ?? "" } == ["objectID", "name", "population", "note", "country"])
    #expect(Mirror(reflecting: found).superclassMirror == nil)
    var dumped = ""
    dump(found, to: &dumped)
    #expect(dumped.contains("- population: 7") && dumped.contains("- country: Country \(country)"))
    #expect(dumped.split(separator: "\n").count < 12)
  }

  @Test func `is described by its class, if that overrides the description`() throws {
    let model = try ManagedObjectModel(Labelled.self)
    try PersistentContainer(inMemory: model).root.performAndWait { context in
      let object = Labelled(context: context)
      object.label = "A"
      let plain: ManagedObject = object
      #expect("\(plain)" == "the one with the label A")
    }
  }
}
