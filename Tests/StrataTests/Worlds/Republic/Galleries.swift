// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata

// External attributes, some of them inherited.

@Entity final class Gallery: ManagedObject {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Painting.gallery) var paintings: ToMany<Painting>
}

@Entity class Painting: ManagedObject {
  @Attribute(.indexed) var title: String
  @Attribute(.unique) var code: String?
  @Attribute(.external) var scan: Data?
  @Attribute(.external, .length(...1_000)) var thumbnail: Data
  /// The same bytes as the scan, kept in the object, for tests that compare the two.
  var mirror: Data?
  var gallery: Gallery?
}

@Entity final class Fresco: Painting {
  @Attribute(.external) var plan: Data?
  @Attribute(.external) var frame: Data = Data("oak".utf8)
}

/// Shows a plate of its own while it has none.
@Entity final class Etching: ManagedObject {
  var title: String
  @Attribute(.external) var plate: Data?

  override func awakeFromFetch() {
    super.awakeFromFetch()
    if plate == nil { plate = Data("blank".utf8) }
  }
}

/// Bytes that `seed` tells apart.
func scan(_ seed: UInt8, _ count: Int = 5_000) -> Data {
  Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) ^ seed })
}

extension ManagedObjectContext {
  /// Inserts a painting for a test.
  @discardableResult
  func painting(_ title: String, scan: Data? = nil, in gallery: Gallery? = nil) -> Painting {
    let painting = Painting(context: self)
    painting.title = title
    if let scan { painting.scan = scan }
    painting.gallery = gallery
    return painting
  }

  /// The scan of a painting that this context sees, or nil.
  func scan(of id: ObjectID) throws -> Data? {
    let scan = try existingObject(Painting.self, with: id).scan
    try throwWhatWasDeferred()
    return scan
  }

  /// Throws the error that reading a property met since the last call.
  func throwWhatWasDeferred() throws { _ = try fetchIDs(Gallery.all.limit(1)) }
}

extension ContextQueue {
  /// The scan of a painting that the context sees, read afresh.
  func scan(of id: ObjectID) throws -> Data? {
    try performAndWait { context in
      context.refreshAllObjects()
      return try context.scan(of: id)
    }
  }
}
