// SPDX-License-Identifier: Apache-2.0
public import Strata

/// A model whose store has folded texts: words, and canonical texts with indexes. The golden store
/// `format-8-folded` was made with it, when texts were folded in another way.
public enum Folded {
  @Entity public final class Street: ManagedObject {
    @Attribute(.fullText) public var name: String
    @Attribute(.derived(.canonical("name")), .indexed) public var plainName: String
    public var number: Int = 0
  }

  public static func model() throws -> ManagedObjectModel { try ManagedObjectModel(Street.self) }
}
