// SPDX-License-Identifier: Apache-2.0
import Strata
import StrataTestSupport

// The second of the three worlds of these tests: a republic, whose objects are under rules.
// Entities of one subject stand together in a file. No relationship leads from one subject to
// another.
//
// | file | features of its entities |
// | --- | --- |
// | Nations | unique values, some of them inherited |
// | Leagues | validation |
// | Realms, Harbours | derived attributes |
// | Galleries | external attributes |
// | Warehouses | every delete rule, an abstract superentity, ordered members |
// | Diary | life cycle methods |

func republicModel() throws -> ManagedObjectModel {
  try ManagedObjectModel(
    Nation.self, Borough.self, Seat.self, Label.self, Flag.self, Tour.self, Athlete.self,
    Coach.self,
    Team.self, Player.self, Sponsor.self, Pass.self, Pool.self,
    Realm.self, Town.self, Quarter.self, Guild.self,
    Port.self, Ship.self, Tanker.self, Sailor.self, Barge.self,
    Gallery.self, Painting.self, Fresco.self, Etching.self,
    Crate.self, Barrel.self, Rack.self, Depot.self, Sticker.self, Lid.self, Complaint.self,
    Tap.self, Gate.self, Visit.self, Memo.self,
    Note.self, Folder.self)
}

/// A container in memory with this world's model.
func republic() throws -> PersistentContainer {
  try PersistentContainer(inMemory: republicModel())
}

/// A container on the disk with this world's model.
func republic(in directory: TemporaryDirectory) throws -> PersistentContainer {
  try PersistentContainer(
    at: directory.file("republic.strata"), model: republicModel(), durability: .none)
}
