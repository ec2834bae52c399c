// SPDX-License-Identifier: Apache-2.0
#if DEBUG
  import Strata

  // What may be done to a context: each to the contexts and to the oracle alike, with a line in the log.

  extension ContextModelWorld {
    struct Operation: Sendable {
      /// How often it is drawn, of the sum of all weights.
      let weight: Int
      /// Does it in the context with this number, or nothing if there is nothing to do it to.
      let perform: @Sendable (inout ContextModelWorld, Int) async throws -> Void
    }

    static let operations: [Operation] = [
      Operation(weight: 12) { try $0.insert(.city, in: $1) },
      Operation(weight: 8) { try $0.insert(.country, in: $1) },
      Operation(weight: 4) { try $0.insert(.language, in: $1) },
      Operation(weight: 4) { try $0.insert(.government, in: $1) },
      Operation(weight: 4) { try $0.insert(.ferry, in: $1) },
      Operation(weight: 22) { try $0.set(in: $1) },
      Operation(weight: 12) { try $0.tie(in: $1) },
      Operation(weight: 10) { try $0.pair(in: $1) },
      Operation(weight: 8) { try $0.delete(in: $1) },
      Operation(weight: 16) { try $0.save($1) },
      Operation(weight: 6) { world, _ in try await world.takeOff() },
      Operation(weight: 4) { try $0.saveWithinParentsTurn($1) },
      Operation(weight: 4) { try $0.rollback($1, resets: false) },
      Operation(weight: 8) { try $0.rollback($1, resets: true) },
    ]

    mutating func insert(_ kind: ContextOracle.Kind, in context: Int) throws {
      let number = ids.count
      let name = self.name(of: kind)
      let population = Int.random(in: 0..<6, using: &random)
      let iso = self.iso(of: kind)
      let id = try contexts[context].performAndWait { context in
        switch kind {
        case .city: return context.city(name, population: population).objectID
        case .country:
          let country = context.country(iso, name: name)
          country.population = population
          return country.objectID
        case .language:
          let language = Language(in: context)
          language.code = name
          return language.objectID
        case .government:
          let government = Government(in: context)
          government.form = name
          return government.objectID
        case .ferry:
          let ferry = Ferry(in: context)
          ferry.name = name
          return ferry.objectID
        }
      }
      ids.append(id)
      numbers[id] = number
      let row = ContextOracle.Row(
        kind: kind, name: name,
        population: kind == .city || kind == .country ? population : 0, iso: iso)
      oracle.insert(number, row, in: context)
      log.append("\(context): insert \(kind) \(number) \(name) \(population)")
    }

    /// A government's is sometimes too long to be saved.
    private mutating func name(of kind: ContextOracle.Kind) -> String {
      if kind == .government, Int.random(in: 0..<8, using: &random) == 0 {
        return "a form of government that no law provides for"
      }
      return "\(Int.random(in: 0..<6, using: &random))"
    }

    /// Sometimes one that another country may have.
    private mutating func iso(of kind: ContextOracle.Kind) -> String {
      guard kind == .country else { return "" }
      return Int.random(in: 0..<8, using: &random) == 0
        ? "\(Int.random(in: 0..<12, using: &random))"
        : "of \(UInt64.random(in: .min ... .max, using: &random))"
    }

    mutating func pick(_ kind: ContextOracle.Kind, in context: Int) -> Int? {
      oracle.rows(in: context).filter { $0.value.kind == kind }.keys.sorted()
        .randomElement(using: &random)
    }

    /// What one operation sets.
    private enum Setting: CaseIterable {
      case nameOfCountry, populationOfCountry, isoOfCountry, nameOfCity, populationOfCity
      case countryOfCity, formOfGovernment, portOfFerry

      var kind: ContextOracle.Kind {
        switch self {
        case .nameOfCountry, .populationOfCountry, .isoOfCountry: .country
        case .nameOfCity, .populationOfCity, .countryOfCity: .city
        case .formOfGovernment: .government
        case .portOfFerry: .ferry
        }
      }

      var property: ContextOracle.Property {
        switch self {
        case .nameOfCountry, .nameOfCity, .formOfGovernment: .name
        case .populationOfCountry, .populationOfCity: .population
        case .isoOfCountry: .iso
        case .countryOfCity: .country
        case .portOfFerry: .port
        }
      }
    }

    mutating func set(in context: Int) throws {
      let setting = Setting.allCases.randomElement(using: &random)!
      guard let object = pick(setting.kind, in: context) else { return }
      let isLinked = Int.random(in: 0..<4, using: &random) > 0
      let row = ContextOracle.Row(
        kind: setting.kind, name: name(of: setting.kind),
        population: Int.random(in: 0..<6, using: &random), iso: iso(of: setting.kind),
        country: isLinked ? pick(.country, in: context) : nil,
        port: isLinked ? pick(.city, in: context) : nil)
      let id = ids[object]
      let (countryID, portID) = (row.country.map { ids[$0] }, row.port.map { ids[$0] })
      try contexts[context].performAndWait { context in
        func object<T: ManagedObject>(_: T.Type) throws -> T {
          try context.existingObject(T.self, with: id)
        }
        switch setting {
        case .nameOfCountry: try object(Country.self).name = row.name
        case .populationOfCountry: try object(Country.self).population = row.population
        case .isoOfCountry: try object(Country.self).iso = row.iso
        case .nameOfCity: try object(City.self).name = row.name
        case .populationOfCity: try object(City.self).population = row.population
        case .countryOfCity:
          try object(City.self).country = countryID.map {
            try context.existingObject(Country.self, with: $0)
          }
        case .formOfGovernment: try object(Government.self).form = row.name
        case .portOfFerry:
          try object(Ferry.self).port = portID.map {
            try context.existingObject(City.self, with: $0)
          }
        }
      }
      oracle.set(setting.property, of: object, to: row, in: context)
      log.append("\(context): set \(setting.property) of \(object) to \(row)")
    }

    mutating func tie(in context: Int) throws {
      let isSpoken = Bool.random(using: &random)
      let isThere = Int.random(in: 0..<3, using: &random) > 0
      guard let first = pick(.country, in: context),
        let second = pick(isSpoken ? .language : .country, in: context), first != second
      else { return }
      let tie: ContextOracle.Tie = isSpoken ? .spoken(first, second) : .between(first, second)
      // Taking away what is not there would be no test of anything.
      guard isThere || oracle.ties(in: context).contains(tie) else { return }
      let (firstID, secondID) = (ids[first], ids[second])
      try contexts[context].performAndWait { context in
        let country = try context.existingObject(Country.self, with: firstID)
        if isSpoken {
          let language = try context.existingObject(Language.self, with: secondID)
          if isThere {
            country.languages.insert(language)
          } else {
            language.countries.remove(country)
          }
        } else {
          let other = try context.existingObject(Country.self, with: secondID)
          if isThere { country.neighbours.insert(other) } else { country.neighbours.remove(other) }
        }
      }
      oracle.set(tie, isThere, in: context)
      log.append("\(context): \(tie) \(isThere)")
    }

    mutating func pair(in context: Int) throws {
      guard let country = pick(.country, in: context) else { return }
      let government =
        Int.random(in: 0..<4, using: &random) > 0 ? pick(.government, in: context) : nil
      let (id, governmentID) = (ids[country], government.map { ids[$0] })
      // Either end sets the other.
      let isFromCountry = governmentID == nil || Bool.random(using: &random)
      try contexts[context].performAndWait { context in
        let country = try context.existingObject(Country.self, with: id)
        let government = try governmentID.map {
          try context.existingObject(Government.self, with: $0)
        }
        if isFromCountry { country.government = government } else { government?.country = country }
      }
      if let government, !isFromCountry {
        oracle.pair(government, with: country, in: context)
      } else {
        oracle.pair(country, with: government, in: context)
      }
      log.append(
        "\(context): pair \(country) with \(government.map(String.init) ?? "nobody")"
          + (isFromCountry ? "" : " from there"))
    }

    mutating func delete(in context: Int) throws {
      let kind = ContextOracle.Kind.allCases.randomElement(using: &random)!
      guard let object = pick(kind, in: context) else { return }
      let id = ids[object]
      try contexts[context].performAndWait { context in
        context.delete(try context.existingObject(ManagedObject.self, with: id))
      }
      oracle.delete(object, in: context)
      log.append("\(context): delete \(object)")
    }

    mutating func save(_ context: Int) throws {
      if waitsForFlight(context) { return }
      let isTaken = try Self.isTaken { try contexts[context].performAndWait { try $0.save() } }
      let isExpected =
        parents[context] == nil ? oracle.saveToStore(context) : oracle.saveToParent(context)
      log.append(
        "\(context): save to \(parents[context] == nil ? "store" : "parent"), "
          + "taken: \(isTaken), expected: \(isExpected)")
      guard isTaken == isExpected else { throw Surprise(description: "a save of \(context)") }
      // Else it would be refused for ever.
      if !isTaken, Bool.random(using: &random) { try rollback(context, resets: false) }
    }

    mutating func saveWithinParentsTurn(_ context: Int) throws {
      guard let parent = parents[context], let object = pick(.city, in: parent) else { return }
      let (id, child) = (ids[object], contexts[context])
      let name = "\(Int.random(in: 0..<6, using: &random))"
      let isTaken = try contexts[parent].performAndWait { context in
        try context.existingObject(City.self, with: id).name = name
        return try Self.isTaken { try child.performAndWait { try $0.save() } }
      }
      oracle.set(
        .name, of: object, to: ContextOracle.Row(kind: .city, name: name), in: parent)
      let isExpected = oracle.saveToParent(context)
      log.append(
        "\(parent): set name of \(object) to \(name), and \(context) saves, "
          + "taken: \(isTaken), expected: \(isExpected)")
      guard isTaken == isExpected else { throw Surprise(description: "a save of \(context)") }
    }

    /// Whether nothing that data may bring about stands in the way of a save.
    static func isTaken(_ save: () throws -> Void) throws -> Bool {
      do { try save() } catch is StoreError { return false } catch ContextError.validationFailed {
        return false
      } catch ContextError.deleteDenied { return false }
      return true
    }

    mutating func rollback(_ context: Int, resets: Bool) throws {
      if waitsForFlight(context) { return }
      try contexts[context].performAndWait { context in
        if resets { context.reset() } else { context.rollback() }
      }
      oracle.discard(context)
      log.append("\(context): \(resets ? "reset" : "rollback")")
    }
  }
#endif
