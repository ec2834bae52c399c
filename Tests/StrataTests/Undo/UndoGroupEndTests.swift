// SPDX-License-Identifier: Apache-2.0
import Strata
import Testing

@Suite struct `An undo group` {
  @Test func `ends with a save`() throws {
    let container = try geography()
    let context = undoableContext(container)
    let city = context.city("A")
    try context.save()
    city.name = "B"
    context.undo()
    #expect(city.name == "A" && !city.isDeleted)
    context.undo()
    #expect(city.isDeleted)
  }

  @Test func `ends with a save that is refused`() throws {
    let container = try geography()
    let context = undoableContext(container)
    let government = Government(context: context)
    government.form = String(repeating: "x", count: 30)
    #expect { try context.save() } throws: {
      if case ContextError.validationFailed = $0 { true } else { false }
    }
    government.form = "short"
    context.undo()
    #expect(government.form.count == 30)
  }

  @Test func `that was begun goes on after a save`() throws {
    let container = try geography()
    let context = undoableContext(container)
    context.undoManager?.beginUndoGrouping()
    let city = context.city("A")
    try context.save()
    city.name = "B"
    context.undoManager?.endUndoGrouping()
    context.undo()
    #expect(city.isDeleted)
  }

  @Test func `has the values that willSave has set`() async throws {
    try await withDiary { diary, container in
      diary.on("willSave") { note in if note.revision == 0 { note.revision = 1 } }
      try await container.root.perform { context in
        context.undoManager = ManagedObjectContext.UndoManager()
        let note = Note(context: context)
        note.text = "A"
        try context.save()
        #expect(note.revision == 1)
        context.undo()
        #expect(note.isDeleted)
        #expect(context.undoManager?.canUndo == false)
      }
    }
  }
}

/// A country and its government, saved.
@Suite struct `Undo and redo of a one-to-one link` {
  private let container: PersistentContainer
  private let context: ManagedObjectContext
  private let country: Country
  private let government: Government

  init() throws {
    container = try geography()
    context = undoableContext(container)
    country = context.country("IR")
    government = Government(context: context)
    country.government = government
    try context.save()
    context.processPendingChanges()
  }

  private func expectAlone() {
    #expect(country.government == nil)
    #expect(government.isDeleted || government.country == nil)
  }

  private func expectLinked() {
    #expect(country.government == government && government.country == country)
  }

  @Test(arguments: [false, true])
  func `leave neither side with a partner that is deleted again`(_ isSaved: Bool) throws {
    context.turn { context.delete(government) }
    if isSaved { try context.save() }
    context.turn { context.undo() }
    expectLinked()
    if isSaved { try context.save() }
    context.turn { context.redo() }
    expectAlone()
    try context.save()
    let reader = ManagedObjectContext(parent: container.coordinator)
    #expect(try reader.fetch(Country.all).map { $0.government == nil } == [true])
  }

  @Test(arguments: [false, true])
  func `leave neither side with the new partner that was taken back`(_ isSaved: Bool) throws {
    let new = Government(context: context)
    country.government = new
    context.processPendingChanges()
    if isSaved { try context.save() }
    context.turn { context.undo() }
    expectLinked()
    #expect(new.managedObjectContext == nil || new.isDeleted)
    context.turn { context.redo() }
    #expect(country.government == new && new.country == country && government.country == nil)
    context.turn { context.undo() }
    expectLinked()
    try context.save()
    let reader = ManagedObjectContext(parent: container.coordinator)
    #expect(try reader.fetch(Government.all).map { $0.country != nil } == [true])
  }

  @Test(arguments: [false, true])
  func `agree on both sides when both ends come and go together`(_ isSaved: Bool) throws {
    context.turn {
      context.delete(government)
      context.delete(country)
    }
    if isSaved { try context.save() }
    context.turn { context.undo() }
    expectLinked()
    context.turn { context.redo() }
    #expect(country.managedObjectContext == nil || country.isDeleted)
    #expect(government.managedObjectContext == nil || government.isDeleted)
    context.turn { context.undo() }
    expectLinked()
    try context.save()
    let reader = ManagedObjectContext(parent: container.coordinator)
    #expect(try reader.fetch(Government.all).map { $0.country?.iso } == ["IR"])
  }
}

/// The edits of countries A and B and governments a and b, of which A and a are linked.
private enum Pairing: String, CaseIterable, Sendable {
  case setOther, setOtherFromBack, setNil, setNilFromBack, setNew, setNewFromBack, deleteGovernment
  case deleteCountry, deleteBoth, deleteAndReplace, replaceAndDelete, swap, deleteFree

  func apply(_ context: ManagedObjectContext, _ ends: (countries: [Country], govs: [Government])) {
    let (countries, govs) = ends
    switch self {
    case .setOther: countries[0].government = govs[1]
    case .setOtherFromBack: govs[1].country = countries[0]
    case .setNil: countries[0].government = nil
    case .setNilFromBack: govs[0].country = nil
    case .setNew:
      countries[0].government = Government(context: context)
      countries[0].government?.form = "new"
    case .setNewFromBack:
      let new = Government(context: context)
      new.form = "new"
      new.country = countries[0]
    case .deleteGovernment: context.delete(govs[0])
    case .deleteCountry: context.delete(countries[0])
    case .deleteBoth:
      context.delete(govs[0])
      context.delete(countries[0])
    case .deleteAndReplace:
      context.delete(govs[0])
      countries[0].government = govs[1]
    case .replaceAndDelete:
      countries[0].government = govs[1]
      context.delete(govs[0])
    case .swap:
      countries[1].government = govs[0]
      countries[0].government = govs[1]
    case .deleteFree:
      countries[1].government = govs[1]
      context.delete(govs[0])
    }
  }
}

@Suite struct `Both sides of one-to-one links` {
  /// Every object with its partner, from both sides.
  private func pairs(_ context: ManagedObjectContext) throws -> [String] {
    let countries = try context.fetch(Country.all).map {
      "\($0.iso) has \($0.government?.form ?? "none")"
    }
    let governments = try context.fetch(Government.all).map {
      "\($0.form) of \($0.country?.iso ?? "none")"
    }
    return (countries + governments).sorted()
  }

  @Test(arguments: Pairing.allCases, [0, 1, 2])
  private func `are as they were after undo, and as they became after redo`(
    _ pairing: Pairing, saves: Int
  ) throws {
    let container = try geography()
    let context = undoableContext(container)
    let countries = ["A", "B"].map { context.country($0) }
    let governments = ["a", "b"].map { form in
      let government = Government(context: context)
      government.form = form
      return government
    }
    countries[0].government = governments[0]
    if saves > 0 { try context.save() }
    context.processPendingChanges()
    let before = try pairs(context)
    context.turn { pairing.apply(context, (countries, governments)) }
    if saves > 1 { try context.save() }
    let after = try pairs(context)
    for _ in 0..<2 {
      context.turn { context.undo() }
      #expect(try pairs(context) == before)
      if saves > 1 { try context.save() }
      context.turn { context.redo() }
      #expect(try pairs(context) == after)
      if saves > 1 { try context.save() }
    }
    try context.save()
    #expect(try pairs(ManagedObjectContext(parent: container.coordinator)) == after)
  }
}
