// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import StrataChanges
package import StrataLMDB
public import StrataModel
import StrataPrimitives

/// Why a store could not be opened, read or saved to. No error removes anything that was saved
/// before, and a save that fails has written nothing.
public enum StoreError: Error, Sendable {
  // MARK: Opening

  /// There is a file at the path at which another is to be made; it was not changed. Choose another
  /// path, or remove the file first.
  case fileExists(path: String)
  /// The store at the path is open here or in another process, and it cannot be moved, replaced or
  /// destroyed. Release its coordinator and all its contexts, in every process. A compaction throws
  /// it if another process has the store open.
  case storeInUse(path: String)
  /// The store's file cannot be replaced by a compacted one, because a snapshot is held for longer
  /// than a second, or because another coordinator of this process has the store open. Snapshots
  /// are held by pinned query generations, backups and turns. The store was not changed. Release
  /// them, and compact again.
  case snapshotHeld
  /// The folder in which the store is to be created does not exist. Create it first.
  case folderMissing(path: String)
  /// The URL of a store does not begin with `file:`. Make it with `URL(fileURLWithPath:)`.
  case notAFileURL(url: String)
  /// There is no file at the path, and a store that is opened read-only is not created. Check the
  /// path, or open the store for writing once.
  case storeMissing(path: String)
  /// The process may not read and write the file, its lock file or their folder. A store that is
  /// opened read-only needs to read the file and to write to the lock file, in which a reader
  /// announces the state that it reads. Change their owner or mode.
  case permissionDenied(path: String)
  /// The file at the path is not a Strata store; it was not changed. Choose another path.
  case notAStrataStore(path: String)
  /// The store was written by a later version of Strata. Bring this program up to date.
  case unsupportedFormat(found: Int)
  /// The store was made with another model, and these differences cannot be inferred: the store was
  /// not changed. The description of each has the remedy.
  case modelMismatch([ModelMismatch])
  /// The store has a later model of the migration plan than the program: it has the model of, or
  /// after, the stage of this name, and no stage leads back. The store was not changed. Update the
  /// program, or restore a backup that was made before the stage.
  case laterModel(stage: String)
  /// The store was made with another model, or has had fewer models than the stores that it is
  /// opened with, and a store that is opened read-only is not migrated. Open it for writing once,
  /// with the same stores.
  case migrationRequired(path: String)
  /// These entries of a `removing:` or a `converting:` are malformed. No store was changed or
  /// created. Write `Entity` or `Entity.property` in `removing:`, and `Entity.property` in
  /// `converting:`. Only the first set with malformed entries is listed.
  case malformedNames([String])
  /// The store cannot get another model: it has had 32,767 models, or they have had as many
  /// entities or properties together, removed ones included. The store was not changed. Open it
  /// with the model that it has, or copy its objects into a new store.
  case tooManyModels
  /// The code of a migration's stage has left objects without a value of an attribute that is new,
  /// or no longer optional, and has no default. The store is as it was. Set the value in all
  /// objects, or give the attribute a default.
  case valuesMissing(entity: String, property: String, objectCount: Int)
  /// Batches, the history and backups are not available to the code of a migration's stage. Save
  /// in the stage's contexts.
  case migrating

  /// The stores cannot be used together by one coordinator. No object was changed.
  case incompatibleStores(StoreError.Incompatibility)

  // MARK: Opening and reading

  /// Bytes of the file are not those that were written. Stop writing, and restore a backup.
  case damaged(tree: String, key: String?, reason: String)

  // MARK: Saving, in the order in which they are looked for

  /// The store was opened read-only. Nothing was changed, and unsaved changes stay unsaved. Open
  /// the store without `isReadOnly` to save.
  case readOnly
  /// The save would link objects of two stores of the coordinator, which no transaction can keep
  /// true. Nothing was saved, and all changes stay unsaved. Keep the other object's ID as an
  /// attribute, or assign both objects to one store when they are new.
  case linksAcrossStores([StoreError.LinkAcrossStores])
  /// The save changes objects of several stores of the coordinator, and a save is a transaction of
  /// one. Nothing was saved, and all changes stay unsaved. Change the objects of each store in a
  /// context of its own, or save before the changes of the next store.
  case severalStoresChanged(stores: [String])
  /// The save has new objects of an entity that no store of the coordinator accepts. Add it to the
  /// configuration of a store.
  case noStore(entity: String)
  /// The store does not belong to the coordinator: it is of another coordinator, or of an earlier
  /// opening with another description. Take it from `stores`.
  case noSuchStore(name: String)
  /// The operation concerns one store, and the coordinator has several. Ask the coordinator of the
  /// one store: `coordinator(for:)`.
  case severalStores
  /// A custom merge policy returned an invalid decision. Fix the policy.
  case mergePolicyMistakes([MergePolicy.Mistake])
  /// Objects were changed by another save since they were read, and the merge policy is `.error`.
  /// Roll back and repeat the changes, or save with another policy.
  case conflicts([MergePolicy.Conflict])
  /// The save would leave links without a target, and the merge policy is `.error`; or a delete
  /// rule denies the merge policy's decision.
  case danglingLinks([StoreError.DanglingLink])
  /// Values that must be unique would not be.
  case uniquenessViolations([StoreError.UniquenessViolation])
  /// Relationships would have more members than they may, whatever the merge policy: another save
  /// has added some since the context counted them. Refresh their owners and take members away.
  case countViolations([StoreError.CountViolation])
  /// The object's values that are not external would have more than 2 GiB - 1 bytes. Either the
  /// save was merged with another one, or the derived attribute `derivedProperty` got too large a
  /// value; it is nil in the first case. Nothing was saved. Make the values smaller, or store them
  /// in an `.external` attribute.
  case objectTooLarge(ObjectID, derivedProperty: String?)
  /// The disk is full, or a quota or a limit of the process is reached. Free some space and save
  /// again. A store keeps some blocks of the disk for deletions, so that something can be deleted
  /// all the same.
  case diskFull
  /// The disk is full, and the save or batch deletes more than the blocks suffice for that the
  /// store keeps for deletions. Nothing was deleted. Delete in smaller parts.
  ///
  /// - Parameter objectCountMax: how many objects the next save or batch can delete, at least 1.
  case deletionTooLarge(objectCountMax: Int)
  /// The store has reached the size that it may grow to. Delete something and save again, or open
  /// the store with a larger `maximumByteCount`. Deletions succeed.
  case storeFull
  /// The store has no serial left for new objects: it has had about 2⁴⁰, deleted ones included.
  /// Nothing was saved. Objects that are there can still be changed and deleted. Copy them into a
  /// new store, where they get new IDs; a dump keeps the serials.
  case serialsExhausted
  /// The save has new objects without a serial of the store, because the store could neither be
  /// written nor read when they were inserted. Nothing was saved. Roll back, and insert the objects
  /// again: now they get serials.
  case serialsUnreserved

  // MARK: History

  /// The store keeps no history. Call `keepHistory` first.
  case historyNotKept
  /// Transactions after the token were deleted. Read all objects again, and go on from the newest
  /// token.
  ///
  /// - Parameter oldest: the oldest token whose later transactions are all there.
  case historyTooOld(oldest: HistoryToken)
  /// The token is of another store, or of a commit that this file does not have, because a backup
  /// was restored. Read all objects again, and go on from the newest token.
  case foreignHistoryToken
  /// The key of a value in the store's metadata is empty or longer than 255 bytes. Choose another.
  case invalidMetadataKey(String)
  /// The store has no consumer of this name: it was removed. Add it again.
  case unknownConsumer(String)
  /// A consumer's name is empty or longer than 255 bytes. Choose another.
  case invalidConsumerName(String)

  // MARK: Any time

  /// Another process has written to the store, or has been opening its file, for longer than the
  /// coordinator's `busyTimeout`, or was stopped in the middle. Nothing was changed, and unsaved
  /// changes stay unsaved. Save again, and continue or end that process if it is stopped.
  ///
  /// - Parameter processID: the ID of that process; nil if the system does not tell, as on Darwin,
  ///   or if the process is in another container.
  case storeBusy(processID: Int32?)
  /// The call would wait for the writer of the store, and the writer waits for the code that made
  /// the call: a closure of a batch, a merge policy, an instrument or a log handler. Nothing was
  /// changed. Do it after that code has returned.
  case wouldDeadlock
  /// The store's file, or the lock file beside it, was deleted, moved or replaced, for example by a
  /// backup, while the store was open here or in another process. A save that fails with it counts
  /// as not saved: the file at the path does not have it. Release the coordinator and all its
  /// contexts, in every process that has the store open, check that the right file is at the path,
  /// and open it again.
  case fileReplaced(path: String)
  /// Another program has opened the store with another model, and taken the store to it. Unsaved
  /// changes can still be read. Release the coordinator and all its contexts, and open the store
  /// with the present model.
  case modelChanged
  /// The storage engine failed. The reason says what to do.
  case storage(StoreError.StorageFailure)
  /// The store was closed. No public call does that, so a program sees it only if the last
  /// reference to the coordinator was released while work was under way. Nothing was changed. Open
  /// the store again, and keep the coordinator until the work has ended.
  case closed
}

extension StoreError {
  /// The storage engine's message.
  public struct StorageFailure: Sendable, Hashable, CustomStringConvertible {
    package let error: LMDBError

    package init(_ error: LMDBError) { self.error = error }

    /// The failure, its cause and the next step, in sentences.
    public var description: String { error.description }
  }
}

// MARK: - From the engine

extension StoreError {
  /// - Parameter tree: the tree that was being read or written, if one was.
  init(_ error: LMDBError, tree: String = "the file") {
    switch error {
    case .diskFull, .reserveTooSmall: self = .diskFull
    case .mapFull: self = .storeFull
    case .corrupted:
      self = .damaged(tree: tree, key: nil, reason: "a page differs from its parent's description")
    case .pageNotFound:
      self = .damaged(tree: tree, key: nil, reason: "a page that is referred to does not exist")
    case .damagedPage(let number, let flaw):
      self = .damaged(tree: tree, key: nil, reason: "page \(number): \(flaw.rawValue)")
    case .fileReplaced(let path): self = .fileReplaced(path: path)
    case .busy(let processID): self = .storeBusy(processID: processID)
    case .wouldDeadlock: self = .wouldDeadlock
    default: self = .storage(StoreError.StorageFailure(error))
    }
  }

  /// The error of a transaction that was to delete `deletedCount` objects.
  init(catching error: any Error, deletedCount: Int) {
    guard case LMDBError.reserveTooSmall(let permille) = error, deletedCount > 0 else {
      self.init(catching: error)
      return
    }
    // Of fewer objects, each needs more pages.
    self = .deletionTooLarge(objectCountMax: max(1, deletedCount * permille / 2_000))
  }

  /// Whether a file, or a disk, has no room for the writes.
  var isLackOfRoom: Bool {
    switch self {
    case .storeFull, .diskFull, .deletionTooLarge: true
    default: false
    }
  }

  /// The error of an operation on the file at `path`.
  init(_ error: LMDBError, opening path: String) {
    switch error {
    case .permissionDenied: self = .permissionDenied(path: path)
    case .notAnLMDBFile: self = .notAStrataStore(path: path)
    default: self.init(error)
    }
  }

  /// An error that was thrown in a transaction, as this layer's own error.
  init(catching error: any Error) {
    switch error {
    case let error as StoreError: self = error
    case let error as LMDBError: self.init(error)
    default: stopProgram("a store throws nothing else: \(error)")
    }
  }
}

// Declared beside the type and not beside the texts: nothing refers to a conformance that is found
// at run time, and a linker takes only those files of an archive that something refers to.
extension StoreError: LocalizedError, CustomStringConvertible, ExplainedError {}
