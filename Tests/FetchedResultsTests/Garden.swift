// SPDX-License-Identifier: Apache-2.0
import Strata

// The world of these tests: a garden.

// Plants are in beds, have a gardener, with a firm as employer, and need tools.

@Entity class Plant: ManagedObject {
  @Attribute(.indexed) var name: String
  @Attribute(.indexed) var bed: String?
  var height: Int = 0
  var isRare: Bool = false
  var gardener: Gardener?
  @Relationship(inverse: \Tool.plants) var tools: ToMany<Tool>

  var initial: String { String(name.prefix(1)) }
}

@Entity final class Shrub: Plant {
  var colour: String?
}

@Entity final class Gardener: ManagedObject {
  var name: String
  var age: Int = 0
  var firm: Firm?
  @Relationship(inverse: \Plant.gardener) var plants: ToMany<Plant>
}

@Entity final class Firm: ManagedObject {
  var name: String
  @Relationship(inverse: \Gardener.firm) var gardeners: ToMany<Gardener>
}

@Entity final class Tool: ManagedObject {
  var weight: Int = 0
  var plants: ToMany<Plant>
}

/// A container in memory with this world's model.
func garden() throws -> PersistentContainer {
  try PersistentContainer(
    inMemory: ManagedObjectModel(
      Plant.self, Shrub.self, Gardener.self, Firm.self, Tool.self))
}

extension ManagedObjectContext {
  @discardableResult
  func plant(
    _ name: String, in bed: String? = nil, height: Int = 0, of gardener: Gardener? = nil
  ) -> Plant {
    let plant = Plant(context: self)
    plant.name = name
    plant.bed = bed
    plant.height = height
    plant.gardener = gardener
    return plant
  }

  @discardableResult
  func gardener(_ name: String, age: Int = 0, of firm: Firm? = nil) -> Gardener {
    let gardener = Gardener(context: self)
    gardener.name = name
    gardener.age = age
    gardener.firm = firm
    return gardener
  }

  func firm(_ name: String) -> Firm {
    let firm = Firm(context: self)
    firm.name = name
    return firm
  }
}

/// A list as a test writes it: "[bed: a b] [nil: c]".
func text(_ list: FetchedResultsController<Plant>) -> String {
  list.sections.map { section in
    "[\(section.name ?? "nil"): \(section.objects.map(\.name).joined(separator: " "))]"
  }.joined(separator: " ")
}
