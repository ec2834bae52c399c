// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataLMDB
import StrataModel
package import StrataPrimitives

// MARK: - In words. No values of the user's objects appear in them.

extension StoreError {
  package var explanation: ErrorExplanation {
    switch self {
    // MARK: Opening
    case .fileExists(let path):
      ErrorExplanation(
        "No store was made at \(path).",
        because: "There is a file at the path, and it was not changed.",
        remedy: "Choose another path, or remove the file first.")
    case .storeInUse(let path):
      ErrorExplanation(
        "The store at \(path) cannot be moved, replaced, compacted or destroyed now.",
        because: "It is open here or in another process, and was not changed.",
        remedy: "Release its coordinator and all its contexts, in every process, and try again.")
    case .snapshotHeld:
      ErrorExplanation(
        "The store was not compacted.",
        because: "A snapshot of it is held, by a pinned query generation, a backup or a long turn, "
          + "or another coordinator has it open.",
        remedy: "Unpin query generations, let backups and long turns end, release other "
          + "coordinators of the store, and compact it again.")
    case .folderMissing(let path):
      ErrorExplanation(
        "The store cannot be created at \(path).",
        because: "The folder of the path does not exist.",
        remedy: "Create the folder, then open the store.")
    case .notAFileURL(let url):
      ErrorExplanation(
        "The store cannot be opened at \(url).",
        because: "The URL does not begin with \"file:\".",
        remedy: "Make the URL of a store with URL(fileURLWithPath:).")
    case .storeMissing(let path):
      ErrorExplanation(
        "The store cannot be opened at \(path).",
        because: "There is no file at the path, and a store that is opened read-only is not "
          + "created.",
        remedy: "Check the path, or open the store for writing once.")
    case .permissionDenied(let path):
      ErrorExplanation(
        "The store cannot be opened at \(path).",
        because: "The file, its lock file or their folder may not be read and written. A reader "
          + "writes to the lock file too: otherwise a writer would overwrite the pages that it "
          + "reads.",
        remedy: "Check their owner and mode.")
    case .notAStrataStore(let path):
      ErrorExplanation(
        "The file at \(path) is not a Strata store.",
        because: "It does not begin as a store does. It was not changed.",
        remedy: "Choose another path, or restore a backup if the file was a store.")
    case .unsupportedFormat(let found):
      ErrorExplanation(
        "The store has a format that this program does not support.",
        because: "It has format \(found), and the program supports the formats "
          + "\(Catalog.formatVersions.lowerBound) to \(Catalog.formatVersions.upperBound).",
        remedy: "Update the program.")
    case .modelMismatch(let differences):
      ErrorExplanation(
        "The store was made with another model, and was not changed.",
        because: ErrorExplanation.sentences(differences.map(\.reason)),
        remedy: ErrorExplanation.sentences(differences.map(\.remedy)))
    case .laterModel(let stage):
      ErrorExplanation(
        "The store has a later model than this program, and was not changed.",
        because: "It has the model of, or after, the migration's stage \"\(stage)\", and no stage "
          + "leads back.",
        remedy: "Update the program, or restore a backup that was made before the stage.")
    case .migrationRequired(let path):
      ErrorExplanation(
        "The store at \(path) needs a migration, and a store that is opened read-only is not "
          + "migrated.",
        because: "It was made with another model, or has had fewer models than the stores that it "
          + "is opened with.",
        remedy: "Open it for writing once, with the same stores.")
    case .malformedNames(let names):
      ErrorExplanation(
        "Names of the migration are malformed, and no store was changed.",
        because: "Of the entries of removing or converting, these are malformed: "
          + "\(names.map { "\"\($0)\"" }.joined(separator: ", ")).",
        remedy: "Write Entity or Entity.property in removing, and Entity.property in converting.")
    case .tooManyModels:
      ErrorExplanation(
        "The store cannot get another model, and was not changed.",
        because: "It has had as many models, or they have had as many entities or properties "
          + "together, as a store can number.",
        remedy: "Open the store with the model that it has, or copy its objects into a new store.")
    case .valuesMissing(let entity, let property, let count):
      ErrorExplanation(
        "The migration failed, and the store is as it was.",
        because: "Objects were left without a value of \(entity).\(property), which must have one: "
          + "\(count) of them.",
        remedy: "Set the value in all objects, or give the attribute a default.")
    case .migrating:
      ErrorExplanation(
        "The operation is not available within a stage of a migration.",
        because: "A stage is one transaction, without batches, the history and backups.",
        remedy: "Save in the stage's context.")
    case .incompatibleStores(let incompatibility):
      ErrorExplanation(
        "The stores cannot be used together.", because: incompatibility.reason,
        remedy: incompatibility.remedy)

    // MARK: Opening and reading
    case .damaged(let tree, let key, let reason):
      ErrorExplanation(
        "The store is damaged.",
        because: "Place: \(tree)\(key.map { ", \($0)" } ?? ""). Damage: \(reason)"
          + (reason.hasSuffix(".") ? "" : "."),
        remedy: "Stop writing to the store, and restore a backup.")

    // MARK: Saving
    case .readOnly:
      ErrorExplanation(
        "Nothing was changed in the store.", because: "The store was opened read-only.",
        remedy: "Open it without isReadOnly to save.")
    case .linksAcrossStores(let links):
      Self.notSaved(
        because: ErrorExplanation.sentences(links.map(\.reason)),
        remedy: StoreError.LinkAcrossStores.remedy)
    case .severalStoresChanged(let stores):
      Self.notSaved(
        because: "The save changes objects of the stores \(stores.joined(separator: " and ")), and "
          + "a save is a transaction of one store.",
        remedy: "Change the objects of each store in a context of its own, or save after the "
          + "changes of one store and before the changes of the next.")
    case .noStore(let entity):
      Self.notSaved(
        because: "No store of the coordinator accepts objects of \(entity).",
        remedy: "Add \(entity) to the configuration of a store.")
    case .noSuchStore(let name):
      ErrorExplanation(
        "The coordinator has no store \(name) of this description.",
        because: "The store is of another coordinator, or of an earlier opening with another "
          + "description.",
        remedy: "Take the store from the coordinator's stores.")
    case .severalStores:
      ErrorExplanation(
        "The coordinator cannot do this with all of its stores.",
        because: "The operation concerns one store, and the coordinator has several.",
        remedy: "Ask coordinator(for:) of the store.")
    case .mergePolicyMistakes(let mistakes):
      Self.notSaved(
        because: ErrorExplanation.sentences(mistakes.map(\.explanation.reason)),
        remedy: MergePolicy.Mistake.remedy)
    case .conflicts(let conflicts):
      Self.notSaved(
        because: "Another save has changed \(ErrorExplanation.count(conflicts.count, "object")) "
          + "since this context read them. "
          + ErrorExplanation.sentences(conflicts.map(\.description)),
        remedy: "Roll back and repeat the changes, or choose another merge policy.")
    case .danglingLinks(let links):
      Self.notSaved(
        because: ErrorExplanation.sentences(links.map(\.reason)),
        remedy: StoreError.DanglingLink.remedy(of: links))
    case .uniquenessViolations(let violations):
      Self.notSaved(
        because: ErrorExplanation.sentences(violations.map(\.description)),
        remedy: "Give each object its own value, or delete one of them.")
    case .countViolations(let violations):
      Self.notSaved(
        because: ErrorExplanation.sentences(violations.map(\.reason)),
        remedy: "Refresh the owners, and remove some members.")
    case .objectTooLarge(let id, let property):
      ErrorExplanation(
        "The object \(id) is too large, and nothing was saved.",
        because: (property.map { "The derived value of \($0)" } ?? "Its record")
          + " is larger than a store can have.",
        remedy: "Make the object's values smaller, or store them in an external attribute.")
    case .storeBusy(let processID): LMDBError.busy(processID: processID).explanation
    case .wouldDeadlock: LMDBError.wouldDeadlock.explanation
    case .diskFull:
      ErrorExplanation(
        "The disk is full.",
        because: "The operation needs more space than the disk has. Saved data is not lost.",
        remedy: "Free some space or delete something, and save again.")
    case .deletionTooLarge(let count):
      ErrorExplanation(
        "The disk is full, and the objects cannot be deleted all at once.",
        because: "A deletion needs some space before it frees more. Saved data is not lost.",
        remedy: "Delete in parts of \(count) objects, or free some space.")
    case .storeFull:
      ErrorExplanation(
        "The store is full.",
        because: "It has reached the size that it may grow to. Saved data is not lost.",
        remedy: "Delete something and save again, or open the store with a larger "
          + "maximumByteCount.")
    case .serialsExhausted:
      ErrorExplanation(
        "The store cannot get new objects, and nothing was saved.",
        because: "It has no serials left, and those of deleted objects are not used again.",
        remedy: "Copy the objects into a new store, where they get new IDs.")
    case .serialsUnreserved:
      ErrorExplanation(
        "The new objects cannot be saved, and nothing was saved.",
        because: "The store could neither be written nor read when they were inserted, so they "
          + "have no serials of it.",
        remedy: "Roll back, and insert the objects again.")

    // MARK: History
    case .historyNotKept:
      ErrorExplanation(
        "There is no history.", because: "The store keeps none.",
        remedy: "Call keepHistory first.")
    case .historyTooOld:
      ErrorExplanation(
        "The history after the token cannot be read.",
        because: "It was deleted, as its retention says.",
        remedy: "Read all objects again, and go on from the newest token.")
    case .foreignHistoryToken:
      ErrorExplanation(
        "The history after the token cannot be read.",
        because: "The token is of another store, or of a commit that this file does not have, "
          + "because a backup was restored.",
        remedy: "Read all objects again, and go on from the newest token.")
    case .invalidMetadataKey(let key):
      ErrorExplanation(
        "The key cannot be used in a store's metadata.",
        because: "A key has 1 to 255 bytes of UTF-8, and this one \(key.utf8.count).",
        remedy: "Choose another key.")
    case .unknownConsumer(let name):
      ErrorExplanation(
        "The history has no consumer named \(name).", because: "It was removed, or never added.",
        remedy: "Add it again.")
    case .invalidConsumerName(let name):
      ErrorExplanation(
        "The consumer of the history was not added.",
        because: "A name has 1 to \(HistoryKey.nameByteCountMax) bytes of UTF-8, and this one "
          + "\(name.utf8.count).",
        remedy: "Choose another name.")

    // MARK: Any time
    case .fileReplaced(let path): LMDBError.fileReplaced(path: path).explanation
    case .modelChanged:
      ErrorExplanation(
        "The store cannot be used with this model any more.",
        because: "It has got another model since it was opened here.",
        remedy: "Release the coordinator and all its contexts, and open the store with its present "
          + "model.")
    case .storage(let failure): failure.error.explanation
    case .closed:
      ErrorExplanation(
        "The store is closed.", because: "It was closed before this use of it.",
        remedy: "Release its coordinator and all contexts, and open it again.")
    }
  }

  private static func notSaved(because reason: String, remedy: String) -> ErrorExplanation {
    ErrorExplanation("The changes were not saved.", because: reason, remedy: remedy)
  }
}
