// SPDX-License-Identifier: Apache-2.0
#if DEBUG
  import Strata

  // What a context shows and what the oracle says, as lines that can be compared and printed.

  extension ContextModelWorld {
    /// - Returns: the log and the lines that differ in the first of these contexts that differs; nil if
    ///   none does.
    func difference(in compared: [Int]) throws -> String? {
      for context in Set(compared).sorted() {
        let shown = try lines(shownBy: contexts[context])
        let expected = expectedLines(context)
        if shown == expected { continue }
        let surplus = shown.filter { !expected.contains($0) }
        let missing = expected.filter { !shown.contains($0) }
        return (log + ["context \(context)", "shown:"] + surplus + ["expected:"] + missing)
          .joined(separator: "\n")
      }
      return nil
    }

    func lines(shownBy context: ContextQueue) throws -> [String] {
      let numbers = numbers
      let isSaving = flight != nil && context === contexts[0]
      return try context.performAndWait { context in
        // Clean objects that nobody holds are let go, so that what is read is the view.
        _ = context.registeredObjects
        func list(_ ids: [ObjectID]) -> String {
          "\(ids.map { numbers[$0] ?? -1 }.sorted())"
        }
        func name(_ object: ManagedObject?) -> String {
          object.map { "\(numbers[$0.objectID] ?? -1)" } ?? "nil"
        }
        // While its save is under way, a root may have changes left only to take that back.
        var lines = isSaving ? [] : ["has changes: \(context.hasChanges)"]
        for city in try context.fetch(City.all) {
          lines.append(
            "city \(numbers[city.objectID] ?? -1) \(city.name) \(city.population) "
              + name(city.country))
        }
        for country in try context.fetch(Country.all) {
          lines.append(
            "country \(numbers[country.objectID] ?? -1) \(country.iso) \(country.name) "
              + "\(country.population) cities "
              + list(country.cities.objectIDs) + " languages " + list(country.languages.objectIDs)
              + " neighbours " + list(country.neighbours.objectIDs) + " government "
              + name(country.government))
        }
        for ferry in try context.fetch(Ferry.all) {
          lines.append(
            "ferry \(numbers[ferry.objectID] ?? -1) \(ferry.name) port " + name(ferry.port))
        }
        for government in try context.fetch(Government.all) {
          lines.append(
            "government \(numbers[government.objectID] ?? -1) \(government.form) country "
              + name(government.country))
        }
        for language in try context.fetch(Language.all) {
          lines.append(
            "language \(numbers[language.objectID] ?? -1) \(language.code) countries "
              + list(language.countries.objectIDs))
        }
        let counts = [
          try context.count(for: City.all), try context.count(for: Country.all),
          try context.count(for: City.where { $0.population > 2 }),
          try context.count(for: Country.where { $0.population > 2 }),
        ]
        lines.append("counts \(counts)")
        lines.append("by name " + list(try context.fetchIDs(City.where { $0.name == "3" })))
        return lines.sorted()
      }
    }

    func expectedLines(_ context: Int) -> [String] {
      let rows = oracle.rows(in: context)
      let ties = oracle.ties(in: context)
      let isSaving = flight != nil && context == 0
      var lines = isSaving ? [] : ["has changes: \(oracle.hasChanges(context))"]
      for (number, row) in rows {
        switch row.kind {
        case .city:
          lines.append(
            "city \(number) \(row.name) \(row.population) \(row.country.map(String.init) ?? "nil")")
        case .country:
          let cities = rows.filter { $0.value.country == number }.keys.sorted()
          var languages: [Int] = []
          var neighbours: [Int] = []
          for tie in ties where tie.ends.contains(number) {
            switch tie {
            case .spoken(_, let language): languages.append(language)
            case .neighbours(let a, let b): neighbours.append(a == number ? b : a)
            }
          }
          lines.append(
            "country \(number) \(row.iso) \(row.name) \(row.population) cities \(cities) languages "
              + "\(languages.sorted()) neighbours \(neighbours.sorted()) government "
              + "\(row.partner.map(String.init) ?? "nil")")
        case .ferry:
          lines.append(
            "ferry \(number) \(row.name) port \(row.port.map(String.init) ?? "nil")")
        case .government:
          lines.append(
            "government \(number) \(row.name) country \(row.partner.map(String.init) ?? "nil")")
        case .language:
          let countries = ties.filter { $0.ends.contains(number) }.map { $0.ends[0] }.sorted()
          lines.append("language \(number) \(row.name) countries \(countries)")
        }
      }
      let cities = rows.filter { $0.value.kind == .city }
      let countries = rows.filter { $0.value.kind == .country }
      let counts = [
        cities.count, countries.count, cities.count { $0.value.population > 2 },
        countries.count { $0.value.population > 2 },
      ]
      lines.append("counts \(counts)")
      lines.append("by name \(cities.filter { $0.value.name == "3" }.keys.sorted())")
      return lines.sorted()
    }
  }
#endif
