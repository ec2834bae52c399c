// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import StrataModel
import StrataStore

extension ManagedObjectModel {
  /// The model that a store has, read from the store itself: to open the store in a program that
  /// does not have its classes. All objects are then of the class `ManagedObject`, and their
  /// properties are read and set by name. Core Data: entities whose class is `NSManagedObject`.
  ///
  /// ```swift
  /// let model = try ManagedObjectModel(ofStoreAt: url)
  /// let container = try PersistentContainer(at: url, model: model, isReadOnly: true)
  /// let request = FetchRequest(
  ///   entityName: "City", try FetchPredicate(format: "population > 1000000"))
  /// for city in try container.viewContext.fetch(request.sorted(by: "name")) {
  ///   print(try city.value(for: "name", as: String.self) ?? "no name")
  /// }
  /// ```
  ///
  /// - Important: A store does not keep the defaults, rules, derivations and delete rules of a
  ///   model. Saves with this model check no rules, do not update derived attributes, and every
  ///   delete rule is nullify. Let the program with the classes save where that matters.
  /// - Throws: `StoreError.notAStrataStore`, `.permissionDenied`, `.unsupportedFormat`, `.damaged`,
  ///   `.storage`.
  public init(ofStoreAt url: URL) throws {
    let outline = try StoredMetadata(ofStoreAt: url.storePath).outline
    do throws(ModelError) {
      try self.init(outline, class: ManagedObject.self)
    } catch {
      throw Self.damaged("it makes no sense: \(error)")
    }
    // The model drops a one-sided inverse, for example, and the store would not open with it.
    guard ModelOutline(self) == outline else {
      throw Self.damaged("its parts do not match each other")
    }
  }

  private static func damaged(_ reason: String) -> StoreError {
    .damaged(tree: "catalog", key: "model", reason: reason)
  }
}
