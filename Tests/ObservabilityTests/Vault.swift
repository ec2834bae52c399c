// SPDX-License-Identifier: Apache-2.0

#if Observability
  import Foundation
  import Strata

  /// A town, for tests of counts.
  @Entity final class Town: ManagedObject {
    @Attribute(.indexed) var name: String
    var population: Int = 0
    @Relationship(inverse: \Street.town) var streets: ToMany<Street>

    /// Fetches in the middle of a save.
    override func willSave() {
      if name == "counting" { _ = try? managedObjectContext?.count(Street.all) }
    }

    /// Has its context forget all objects in the middle of a fetch.
    override func awakeFromFetch() {
      if name == "resetting" { managedObjectContext?.reset() }
    }
  }

  @Entity final class Street: ManagedObject {
    var name: String
    var town: Town?
  }

  /// An error of the program, whose text has a value of an object.
  struct Leak: Error, CustomStringConvertible {
    let description: String
  }

  struct Coordinates: Codable, Sendable, Hashable {
    var latitude: Double
    var label: String
  }

  enum Seal: String, AttributeValue, CaseIterable {
    case wax = "sealing-wax-6e1d"
    case lead = "lead-6e1e"
  }

  /// An object with an attribute of each kind.
  @Entity final class Vault: ManagedObject {
    @Attribute(.unique) var code: String
    @Attribute(.indexed, .length(...40)) var text: String
    var optionalText: String?
    @Attribute(.indexed) var int64: Int64
    var int32: Int32
    var int16: Int16
    var int8: Int8
    var uint64: UInt64
    var uint32: UInt32
    var uint16: UInt16
    var uint8: UInt8
    var isOpen: Bool
    var float: Float
    @Attribute(.indexed) var double: Double
    var decimal: Decimal
    var data: Data
    @Attribute(.external) var external: Data?
    @Attribute(.indexed) var date: Date
    @Attribute(.indexed) var uuid: UUID
    var url: URL?
    var coordinates: Coordinates?
    @Attribute(.preserveValueOnDeletion) var seal: Seal = .lead
    @Attribute(.transient) var note: String?

    override func validateForUpdate() throws {
      if note == "leak" { throw Leak(description: "\(text) \(int64) \(uuid)") }
    }

    /// Fills all attributes with values that occur nowhere else.
    func fill(code: String) {
      self.code = code
      text = "text-4c0ffee1"
      optionalText = "optional-4c0ffee2"
      int64 = 7_315_926_048_113
      int32 = 1_315_926_045
      int16 = -31_337
      int8 = -113
      uint64 = 17_315_926_048_117_331
      uint32 = 4_111_926_045
      uint16 = 54_321
      uint8 = 211
      isOpen = true
      float = 31_415.875
      double = 271_828.182_845
      decimal = Decimal(string: "161803.39887") ?? 0
      data = Data("data-4c0ffee3".utf8)
      external = Data("external-4c0ffee4".utf8)
      date = Date(timeIntervalSinceReferenceDate: 4_188_888_888.5)
      uuid = Self.uuid
      url = Self.url
      coordinates = Coordinates(latitude: 35.696_133_7, label: "coordinates-4c0ffee6")
      seal = .wax
      note = "note-4c0ffee7"
    }

    static let uuid = UUID(
      uuid: (0xA7, 0x5C, 1, 2, 3, 4, 0x45, 5, 0x86, 6, 7, 8, 9, 10, 0x4C, 0xFE))
    static let url = URL(fileURLWithPath: "/url-4c0ffee5")

    /// The values as they may appear in a text. Values of 8 bits and Booleans are also numbers of
    /// objects and the like, so they are not told apart.
    static var texts: [String] {
      [
        "4c0ffee", "7315926048113", "1315926045", "31337", "17315926048117331", "4111926045",
        "54321", "31415.8", "271828.18", "161803.39", "4188888888", "2133-09-28",
        uuid.uuidString, uuid.uuidString.lowercased(), "35.696", "6e1d", "code-5ea1",
        Data("data-4c0ffee3".utf8).base64EncodedString(),
        Data("external-4c0ffee4".utf8).base64EncodedString(),
        Data("4c0ffee".utf8).map { String($0, radix: 16) }.joined(),
        Data("4c0ffee".utf8).map { "\($0)" }.joined(separator: ", "),
      ]
    }
  }

  func vaultModel() throws -> ManagedObjectModel {
    try ManagedObjectModel(Town.self, Street.self, Vault.self)
  }
#endif
