// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata
import StrataTesting
import Testing

// Attributes whose Swift types have fewer values than their stored types.

private enum Size: Int16, CaseIterable {
  case small = 1
  case large
}

private enum Service: String, AttributeValue, CaseIterable { case express, economy, freight }

private enum Grade: String, Codable { case fine, rough }

private struct Label: Codable, Hashable, Sendable {
  var text: String
  var sizes: [Int8]
  var quality: Quality?

  struct Quality: Codable, Hashable, Sendable {
    var grade: Grade
    var score: Double?
  }
}

/// A weight above zero, stored as a number.
private struct Grams: AttributeValue {
  let count: Int64

  static var attributeType: AttributeType { .int64 }
  static var zero: Grams? { nil }

  init?(_ slot: _RecordSlot) {
    guard let count = Int64(slot) else { return nil }
    self.count = count
  }

  func write(to writer: inout _SlotWriter) { count.write(to: &writer) }
  var value: PropertyValue { count.value }

  init?(value: PropertyValue) {
    guard let count = Int64(value: value), count > 0 else { return nil }
    self.count = count
  }
}

/// A value that never encodes itself.
private struct Silent: Codable, Sendable {
  struct Refusal: Error {}

  init(from decoder: any Decoder) throws {}
  func encode(to encoder: any Encoder) throws { throw Refusal() }
}

@Entity private final class Parcel: ManagedObject {
  var size: Size?
  var service: Service?
  var grade: Grade?
  var label: Label?
  var labels: [String: Int]?
  var weight: Grams?
  var silent: Silent?
}

@Suite struct `A value of a fixture, by the type of its property,` {
  private func store(_ properties: String) throws -> TestStore {
    try TestStore(
      ManagedObjectModel(Parcel.self),
      Fixture(json: Data(#"{"Parcel": {"a": {\#(properties)}}}"#.utf8)))
  }

  /// The form that the property should have, by the one mistake of a fixture.
  private func expected(
    _ property: String, _ json: String, at location: SourceLocation = #_sourceLocation
  ) throws -> String {
    let error = try #require(throws: FixtureError.self, sourceLocation: location) {
      _ = try store(#""\#(property)": \#(json)"#)
    }
    #expect(error.mistakes.count == 1, sourceLocation: location)
    guard case .unfitValue("Parcel a", property, let expected)? = error.mistakes.first else {
      Issue.record("\(error)", sourceLocation: location)
      return ""
    }
    return expected
  }

  @Test func `is a case of an enum`() throws {
    let store = try store(#""size": 2, "service": "economy", "grade": "rough", "weight": 5"#)
    let id = try store.objects["a"]
    try store.container.root.performAndWait { context in
      let parcel = try context.existingObject(Parcel.self, with: id)
      #expect(parcel.size == .large && parcel.service == .economy && parcel.grade == .rough)
      #expect(parcel.weight?.count == 5)
    }
  }

  @Test func `is refused with the cases that an enum has`() throws {
    for json in ["3", "0", "70000", "\"large\""] {
      #expect(try expected("size", json) == "a value of Size: 1 or 2")
    }
    for json in [#""air""#, #""Express""#, #""""#, "1"] {
      #expect(
        try expected("service", json)
          == #"a value of Service: "express", "economy" or "freight""#)
    }
    #expect(try expected("grade", #""bad""#) == "a value of Grade, as a string")
  }

  @Test func `is refused if the property's own type does not have it`() throws {
    #expect(
      try expected("weight", "0") == "a value of Grams, as an integer of the type int64")
    #expect(try expected("weight", "1.5") == "an integer of the type int64")
  }

  @Test func `is stored with the bytes of a value that code sets`() throws {
    let store = try store(
      #"""
      "label": {"unknown": 1, "text": "Quai \u0041\/1\u2028", "sizes": [1.0, 2e1],
                "quality": {"score": 5e-1, "grade": "fine"}},
      "labels": {"b": 1, "a": 2.0}
      """#)
    let id = try store.objects["a"]
    try store.container.root.performAndWait { context in
      let parcel = try context.existingObject(Parcel.self, with: id)
      let made = Parcel(context: context)
      made.label = Label(
        text: "Quai A/1\u{2028}", sizes: [1, 20], quality: Label.Quality(grade: .fine, score: 0.5))
      made.labels = ["a": 2, "b": 1]
      #expect(parcel.label == made.label && parcel.labels == made.labels)
      #expect(try parcel.value(for: "label") == made.value(for: "label"))
      #expect(try parcel.value(for: "labels") == made.value(for: "labels"))
    }
  }

  @Test func `is refused with the place in it that does not decode`() throws {
    let places = [
      (#"{"sizes": []}"#, "text is missing"),
      (#"{"text": null, "sizes": []}"#, "text is null"),
      (#"{"text": "a", "sizes": [1, "x"]}"#, "sizes[1] is not of type Int8"),
      (#"{"text": "a", "sizes": [], "quality": {"grade": "bad"}}"#, "quality.grade does not fit"),
      (#"{"text": "a", "sizes": [], "quality": {}}"#, "quality.grade is missing"),
      ("[]", "the whole is not an object"), ("\"a\"", "the whole is not an object"),
    ]
    for (json, reason) in places {
      #expect(try expected("label", json) == "JSON of Label, but \(reason)")
    }
    // Whether the decoder tells the place of such a number differs between versions of Foundation.
    let large = try expected("label", #"{"text": "a", "sizes": [300]}"#)
    #expect(large.hasPrefix("JSON of Label, but ") && large.hasSuffix(" does not fit"))
  }

  @Test func `is refused if its encode(to:) throws`() throws {
    #expect(try expected("silent", "{}") == "JSON of Silent, but its encode(to:) throws")
  }

  @Test func `reads as a sentence with the entity, the name and the property`() throws {
    let error = try #require(throws: FixtureError.self) { _ = try store(#""size": 3"#) }
    #expect(
      "\(error)" == """
        The fixture cannot be used. There is 1 mistake. The property size of Parcel a should be a \
        value of Size: 1 or 2. Correct the fixture.
        """)
  }

  @Test func `is not checked in a model without classes`() throws {
    let label = AttributeDescription("label", type: .codable, isOptional: true)
    let model = try ManagedObjectModel(entities: [
      EntityDescription("Parcel", class: ManagedObject.self, properties: [.attribute(label)])
    ])
    let store = try TestStore(
      model, Fixture(json: Data(#"{"Parcel": {"a": {"label": {"b": 1, "a": [2]}}}}"#.utf8)))
    let id = try store.objects["a"]
    try store.container.root.performAndWait { context in
      let parcel = try context.existingObject(ManagedObject.self, with: id)
      #expect(try parcel.value(for: "label") == .codable(Data(#"{"a":[2],"b":1}"#.utf8)))
    }
  }
}
