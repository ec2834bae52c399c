// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import Strata

// The model of the stores that are damaged. Such a store has each kind of tree: records, indexes of
// one and of several properties, values that share a posting block, links in both directions,
// external data.

@Entity public final class Region: ManagedObject {
  @Attribute(.unique) public var code: Int = 0
  @Attribute(.indexed) public var name: String
  @Relationship(deleteRule: .cascade, inverse: \Town.region) public var towns: ToMany<Town>
}

@Entity public final class Town: ManagedObject {
  @Attribute(.unique) public var code: Int = 0
  @Attribute(.indexed) public var name: String
  @Attribute(.indexed) public var rank: Int = 0
  public var area: Double = 0
  @Attribute(.indexed) public var motto: String?
  public var height: Int?
  @Attribute(.external) public var map: Data?
  public var region: Region?
  @Relationship(inverse: \Label.towns) public var labels: ToMany<Label>
}

@Entity public final class Label: ManagedObject {
  @Attribute(.indexed) public var name: String
  public var towns: ToMany<Town>
}
