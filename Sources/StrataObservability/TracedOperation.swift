// SPDX-License-Identifier: Apache-2.0

#if Observability
  import StrataStore
  import Tracing

  /// A save or a fetch as a span, and its time.
  ///
  /// The span follows the conventions of OpenTelemetry for databases: its name is the operation and
  /// its target. It is internal, since the work is done in this process. The attributes have
  /// neither values of objects nor of requests.
  ///
  /// | attribute | value |
  /// | --- | --- |
  /// | `db.system.name` | `strata` |
  /// | `db.namespace` | the name of the store |
  /// | `db.operation.name` | `save`, `fetch`, `fetch ids`, `count`, `fetch rows` |
  /// | `db.collection.name` | the entity of a fetch |
  /// | `db.response.returned_rows` | the number of results of a fetch |
  /// | `strata.save.destination` | `store`, or `parent` for a save in memory |
  /// | `error.type` | the type of the error |
  ///
  /// OpenTelemetry: "Semantic conventions for database client spans", version 1.28 and later.
  struct TracedOperation: OperationInProgress {
    typealias End = @Sendable (ObservedOperation, OperationOutcome, Duration) -> Void

    private let operation: ObservedOperation
    private let span: any Span
    private let start = ContinuousClock.now
    private let noteEnd: End

    /// Begins the span, as a part of the span that is current in the task.
    init(
      _ operation: ObservedOperation, inStoreNamed storeName: String,
      endingWith noteEnd: @escaping End
    ) {
      self.operation = operation
      self.noteEnd = noteEnd
      span = InstrumentationSystem.tracer.startSpan(
        "\(operation.name) \(operation.entity ?? storeName)", ofKind: .internal)
      guard span.isRecording else { return }
      span.updateAttributes { attributes in
        attributes.set("db.system.name", value: .string("strata"))
        attributes.set("db.namespace", value: .string(storeName))
        attributes.set("db.operation.name", value: .string(operation.name))
        if let entity = operation.entity {
          attributes.set("db.collection.name", value: .string(entity))
        }
        if case .save(let isToStore) = operation {
          attributes.set(
            "strata.save.destination", value: .string(isToStore ? "store" : "parent"))
        }
      }
    }

    func within<Result>(_ body: () throws -> Result) rethrows -> Result {
      try ServiceContext.withValue(span.context, operation: body)
    }

    func end(_ outcome: OperationOutcome) {
      let duration = ContinuousClock.now - start
      TracerCall.during {
        if let error = outcome.error {
          let recorded = RecordedError(error)
          span.recordError(recorded)
          span.setStatus(SpanStatus(code: .error, message: recorded.description))
          span.updateAttributes { $0.set("error.type", value: .string(recorded.typeName)) }
        }
        if let rowCount = outcome.rowCount {
          span.updateAttributes { attributes in
            attributes.set("db.response.returned_rows", value: .int64(Int64(rowCount)))
          }
        }
        span.end()
      }
      noteEnd(operation, outcome, duration)
    }
  }

  extension ObservedOperation {
    /// The name of the operation in spans and metrics.
    var name: String {
      switch self {
      case .save: "save"
      case .fetch(let kind, _): kind.operationName
      }
    }

    /// The entity of a fetch.
    var entity: String? {
      if case .fetch(_, let entity) = self { entity } else { nil }
    }
  }

  extension ObservedOperation.FetchKind {
    /// The name of the operation in spans and metrics.
    var operationName: String {
      switch self {
      case .objects: "fetch"
      case .ids: "fetch ids"
      case .count: "count"
      case .rows: "fetch rows"
      }
    }
  }
#endif
