// SPDX-License-Identifier: Apache-2.0
import Strata

/// Inserts persons into a context of its own below `parent`, a number of them in each save; with
/// person 1 come the companies.
///
/// - Parameters:
///   - companyIDs: by serial; not used if the companies come with the persons.
///   - keepsIDs: whether the IDs of the persons are returned.
/// - Returns: the IDs of the inserted objects, in order of serial.
func insertPeople(
  _ people: People, _ serials: ClosedRange<Int>, perSave: Int, companyIDs: [ObjectID?],
  keepsIDs: Bool = true, below parent: some ContextParent
) throws -> (persons: [ObjectID], companies: [ObjectID]) {
  let queue = ContextQueue(parent: parent)
  var personIDs: [ObjectID] = []
  var newCompanyIDs: [ObjectID] = []
  for first in stride(from: serials.lowerBound, through: serials.upperBound, by: perSave) {
    let batch = first...min(first + perSave - 1, serials.upperBound)
    let known = companyIDs.count > 1 ? companyIDs : [nil] + newCompanyIDs
    let (persons, companies) = try queue.performAndWait { context in
      var companies: [Company?] = [nil]
      if first == 1 {
        for name in people.companies.dropFirst() {
          let company = Company(context: context)
          company.name = name
          companies.append(company)
        }
      } else {
        companies = try known.map { try $0.map { try context.object(with: $0) } }
      }
      var persons: [ObjectID] = []
      if keepsIDs { persons.reserveCapacity(batch.count) }
      for serial in batch {
        let row = people.persons[serial]
        let person = Person(row, in: context)
        person.company = companies[row.company]
        if keepsIDs { persons.append(person.objectID) }
      }
      try context.save()
      return (persons, first == 1 ? companies.compactMap { $0?.objectID } : [])
    }
    personIDs += persons
    newCompanyIDs += companies
  }
  return (personIDs, newCompanyIDs)
}
