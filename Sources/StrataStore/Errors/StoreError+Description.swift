// SPDX-License-Identifier: Apache-2.0
public import Foundation
import StrataChanges
import StrataLMDB
import StrataModel

// MARK: - In words. No values of the user's objects appear in them.

extension StoreError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .fileExists(let path):
      "There is a file at \(path), and it was not changed. Choose another path, or remove it first."
    case .storeInUse(let path):
      "The store at \(path) is open here or in another process, and was not changed. Release its "
        + "coordinator and contexts first."
    case .snapshotHeld:
      "A snapshot of the store is held, and the store was not compacted. Unpin query generations, "
        + "let backups and long turns end, and release other coordinators of the store first."
    case .folderMissing(let path):
      "The folder of \(path) does not exist. Create it, then open the store."
    case .notAFileURL(let url):
      "\(url) is no file URL. Make the URL of a store with URL(fileURLWithPath:)."
    case .storeMissing(let path):
      "There is no file at \(path), and a store that is opened read-only is not created. Check the "
        + "path, or open the store for writing once."
    case .permissionDenied(let path):
      "\(path), its lock file or their folder may not be read and written. A reader writes to the "
        + "lock file too: otherwise a writer would overwrite the pages that it reads. Check owner "
        + "and mode."
    case .notAStrataStore(let path):
      "\(path) is no Strata store, and was not changed. Choose another path."
    case .unsupportedFormat(let found):
      "The store has format \(found), and this program supports "
        + "\(Catalog.formatVersions.upperBound). Update the program."
    case .modelMismatch(let differences):
      "The store was made with another model. "
        + differences.map(\.description).joined(separator: " ")
    case .laterModel(let stage):
      "The store has a later model than this program: it has the model of, or after, the "
        + "migration's stage \"\(stage)\". Update the program, or restore a backup that was made "
        + "before the stage."
    case .migrationRequired(let path):
      "The store at \(path) was made with another model, or has had fewer models than the stores "
        + "that it is opened with. A store that is opened read-only is not migrated. Open it for "
        + "writing once, with the same stores."
    case .valuesMissing(let entity, let property, let count):
      "The migration has left \(Self.count(count, "object")) without a value of "
        + "\(entity).\(property), which must have one. The store is as it was. Set it in all "
        + "objects, or give it a default."
    case .migrating:
      "Batches, the history and backups are not available within a stage of a migration. Save in "
        + "the stage's context."
    case .damaged(let tree, let key, let reason):
      "The store is damaged: \(tree)\(key.map { ", \($0)" } ?? ""): \(reason). Stop writing to it "
        + "and restore a backup."
    case .readOnly:
      "The store was opened read-only, and nothing was changed. Open it without isReadOnly to save."
    case .incompatibleStores(let incompatibility):
      "The stores cannot be used together. \(incompatibility)"
    case .linksAcrossStores(let links): Self.sentences(links)
    case .severalStoresChanged(let stores):
      "The save changes objects of the stores \(stores.joined(separator: " and ")), and a save is "
        + "a transaction of one store. Nothing was saved. Change the objects of each store in a "
        + "context of its own, or save after the changes of one store and before those of the next."
    case .noStore(let entity):
      "No store of the coordinator accepts objects of \(entity). Add it to a configuration."
    case .noSuchStore(let name):
      "The coordinator has no store \(name) of this description. Take the store from its stores."
    case .severalStores:
      "The operation concerns one store, and the coordinator has several. Ask coordinator(for:) of "
        + "the store."
    case .mergePolicyMistakes(let mistakes): Self.sentences(mistakes)
    case .conflicts(let conflicts):
      "\(Self.count(conflicts.count, "object")) changed in the store since this context read "
        + "them: \(Self.list(conflicts.map(\.objectID))). Roll back and repeat the changes, or "
        + "choose another merge policy."
    case .danglingLinks(let links): Self.describe(links)
    case .uniquenessViolations(let violations):
      Self.sentences(violations) + " Give each its own value, or delete one of them."
    case .countViolations(let violations):
      violations.prefix(Self.listCountMax).map(\.description).joined(separator: " ")
    case .objectTooLarge(let id, let property):
      "\(property.map { "The derived value of \($0)" } ?? "The record") of \(id) is too large to "
        + "be stored, and nothing was saved. Make the object's values smaller, or store them in an "
        + "external attribute."
    case .diskFull:
      "The disk is full. Saved data is not lost; free some space and save again."
    case .storeFull:
      "The store has reached its largest size, or has no serials left for new objects. Nothing is "
        + "lost; delete something and save again."
    case .historyNotKept: "The store keeps no history. Call keepHistory first."
    case .historyTooOld:
      "The history after the token was deleted, as its retention says. Read all objects again, and "
        + "go on from the newest token."
    case .foreignHistoryToken:
      "The token is of another store, or of a commit that this file does not have, because a "
        + "backup was restored. Read all objects again, and go on from the newest token."
    case .invalidMetadataKey(let key):
      "A key in a store's metadata has 1 to 255 bytes of UTF-8, and this one \(key.utf8.count)."
    case .unknownConsumer(let name):
      "The history has no consumer named \(name): it was removed. Add it again."
    case .invalidConsumerName:
      "The name of a consumer takes 1 to \(HistoryKey.nameByteCountMax) bytes. Choose another."
    case .fileReplaced(let path): LMDBError.fileReplaced(path: path).description
    case .modelChanged:
      "The store has got another model since it was opened here. Open it again with that model."
    case .storage(let failure): failure.description
    case .closed: "The store was closed. Open it again to use it."
    }
  }

  private static let listCountMax = 3

  private static func count(_ count: Int, _ noun: String) -> String {
    count == 1 ? "1 \(noun) was" : "\(count) \(noun)s were"
  }

  private static func sentences(_ items: [some CustomStringConvertible]) -> String {
    let shown = items.prefix(listCountMax).map(\.description).joined(separator: " ")
    return items.count > listCountMax ? shown + " And \(items.count - listCountMax) more." : shown
  }

  private static func list(_ ids: [ObjectID]) -> String {
    let shown = ids.prefix(listCountMax).map(\.description).joined(separator: ", ")
    return ids.count > listCountMax ? shown + " and \(ids.count - listCountMax) more" : shown
  }

  private static func describe(_ links: [StoreError.DanglingLink]) -> String {
    links.prefix(listCountMax).map { link in
      let name = "\(link.entity).\(link.property)"
      return switch link.cause {
      case .missingTarget:
        "\(name) of \(link.owner) leads to \(link.target), which does not exist: choose another "
          + "target."
      case .unknownReferrer:
        "\(link.target) cannot be deleted, \(name) of \(link.owner) leads to it since another "
          + "save: refresh both."
      case .unknownMember:
        "\(link.owner) cannot be deleted, its \(link.property) has \(link.target) since "
          + "another save: refresh both."
      case .deniedReferrer:
        "\(link.target) cannot be deleted: its delete rule denies it while \(name) of "
          + "\(link.owner) leads to it."
      case .deniedMember:
        "\(link.owner) cannot be deleted: its delete rule denies it while its \(link.property) "
          + "has \(link.target)."
      }
    }.joined(separator: " ")
  }
}

extension StoreError: LocalizedError {
  /// The error in plain English, as in `description`.
  public var errorDescription: String? { description }
}
