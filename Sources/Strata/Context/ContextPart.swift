// SPDX-License-Identifier: Apache-2.0
import StrataChanges
import StrataModel

/// A part of a context above the reader, which reaches the parts below through it.
protocol ContextPart: AnyObject {
  var reader: ContextReader { get }
}

extension ContextPart {
  var schema: Schema { reader.schema }
  var layer: ContextLayer { reader.layer }
  var coordinator: PersistentStoreCoordinator { reader.coordinator }
  var registry: ObjectRegistry { reader.registry }
  var reporter: TurnReporter { reader.reporter }
  var work: UnitOfWork { reader.work }
}
