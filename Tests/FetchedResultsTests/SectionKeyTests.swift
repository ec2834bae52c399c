// SPDX-License-Identifier: Apache-2.0
import Strata
import Testing

// Sections by a property that the plan of the request leaves out, or by an enum, whose order is not
// that of its raw values.

/// The order is that of the cases; that of the raw values is high, low, medium.
private enum Priority: String, AttributeValue, CaseIterable, Comparable {
  case high, medium, low

  static func < (left: Priority, right: Priority) -> Bool {
    allCases.firstIndex(of: left)! < allCases.firstIndex(of: right)!
  }
}

@Entity private final class Project: ManagedObject {
  var priority: Priority = .low
  @Relationship(inverse: \Job.project) var jobs: ToMany<Job>
}

@Entity private final class Job: ManagedObject {
  var name: String
  var priority: Priority = .low
  var project: Project?
}

@Suite struct `Sections of a fetched list` {
  /// A job of each priority, in a project of the same priority.
  private func jobs() throws -> ManagedObjectContext {
    let container = try PersistentContainer(
      inMemory: ManagedObjectModel(Project.self, Job.self))
    let context = ManagedObjectContext(parent: container.coordinator)
    for priority in [Priority.low, .high, .medium] {
      let (project, job) = (Project(context: context), Job(context: context))
      project.priority = priority
      job.name = "\(priority)"
      job.priority = priority
      job.project = project
    }
    return context
  }

  @Test func `may be by a property that the predicate fixes`() throws {
    let context = ManagedObjectContext(parent: try garden().coordinator)
    context.plant("fern", in: "A")
    context.plant("aloe", in: "A")
    context.plant("ivy", in: "B")
    let list = FetchedResultsController(
      Plant.where { $0.bed == "A" }.sorted(by: \.bed).sorted(by: \.name), context: context,
      sectionNameKeyPath: { $0.bed })
    try list.performFetch()
    #expect(text(list) == "[A: aloe fern]")
  }

  @Test(arguments: [true, false])
  func `by an enum are in its order, in both directions`(isForward: Bool) throws {
    let context = try jobs()
    let list = FetchedResultsController(
      Job.all.sorted(by: \.priority, order: isForward ? .forward : .reverse), context: context,
      sectionNameKeyPath: { $0.priority })
    try list.performFetch()
    let names = ["high", "medium", "low"]
    #expect(list.sections.map(\.name) == (isForward ? names : names.reversed()))
  }

  @Test func `by an enum of another object are in its order`() throws {
    let context = try jobs()
    let list = FetchedResultsController(
      Job.all.sorted(by: \.name), context: context,
      sectionNameKeyPath: { $0.project.priority })
    try list.performFetch()
    #expect(list.sections.map(\.name) == ["high", "medium", "low"])
  }

  @Test func `still need the request to sort by their property first`() throws {
    let context = try jobs()
    let list = FetchedResultsController(
      Job.all.sorted(by: \.name).sorted(by: \.priority), context: context,
      sectionNameKeyPath: { $0.priority })
    #expect(throws: ContextError.unsortedSections(entity: "Job", property: "priority")) {
      try list.performFetch()
    }
  }
}
