// SPDX-License-Identifier: Apache-2.0
import Foundation
import Strata

// Derived attributes of all kinds.

@Entity final class Realm: ManagedObject {
  var name: String
  @Attribute(.derived(.count("towns"))) var townCount: Int
  @Attribute(.derived(.sum("towns", of: "people")), .range(...1_000)) var people: Int
  @Attribute(.derived(.sum("towns", of: "area"))) var area: Double
  @Attribute(.derived(.count("guilds"))) var guildCount: Int
  @Attribute(.derived(.sum("guilds", of: "wealth"))) var wealth: Decimal
  @Attribute(.derived(.now)) var savedAt: Date?
  @Relationship(inverse: \Town.realm) var towns: ToMany<Town>
  @Relationship(inverse: \Guild.realms) var guilds: ToMany<Guild>
}

@Entity final class Town: ManagedObject {
  var name: String
  @Attribute(.indexed, .derived(.canonical("name"))) var searchName: String
  @Attribute(.derived(.uppercase("nickname"))) var shout: String?
  var nickname: String?
  var people: Int32 = 0
  var area: Float?
  var realm: Realm?
  @Attribute(.derived(.path("realm.name"))) var realmName: String?
  @Relationship(inverse: \Quarter.town) var quarters: ToMany<Quarter>
}

@Entity final class Quarter: ManagedObject {
  var town: Town?
  @Attribute(.derived(.path("town.realm.name"))) var realmName: String?
}

@Entity final class Guild: ManagedObject {
  var wealth: Decimal = 0
  var realms: ToMany<Realm>
}

extension ManagedObjectContext {
  @discardableResult
  func realm(_ name: String) -> Realm {
    let realm = Realm(context: self)
    realm.name = name
    return realm
  }

  @discardableResult
  func town(_ name: String, people: Int32 = 0, in realm: Realm? = nil) -> Town {
    let town = Town(context: self)
    town.name = name
    town.people = people
    town.realm = realm
    return town
  }
}
