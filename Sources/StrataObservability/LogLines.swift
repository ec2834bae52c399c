// SPDX-License-Identifier: Apache-2.0

#if Observability
  import Logging
  import StrataStore

  /// Writes the messages of Strata with a logger.
  struct LogLines: Sendable {
    let logger: Logger

    @Sendable func write(_ message: StrataLog.Message) {
      logger.log(
        level: Logger.Level(rawValue: message.level.rawValue) ?? .warning,
        "\(message.text)",
        metadata: message.metadata.mapValues { .string($0) },
        source: "Strata")
    }
  }

  extension StrataLog.Message {
    /// A fetch has taken longer than the program wants.
    ///
    /// - Parameter plan: without values of the request; nil if the request has failed before it had
    ///   a plan.
    static func slowFetch(
      _ kind: ObservedOperation.FetchKind, of entity: String, inStoreNamed storeName: String,
      _ duration: Duration, plan: String?, rowCount: Int?
    ) -> StrataLog.Message {
      let milliseconds = Int(duration / .milliseconds(1))
      var metadata = [
        "store": storeName, "entity": entity, "operation": kind.operationName,
        "milliseconds": "\(milliseconds)",
      ]
      metadata["plan"] = plan
      metadata["rows"] = rowCount.map { "\($0)" }
      return StrataLog.Message(
        .notice,
        "A fetch of \(entity) has taken \(milliseconds) ms. Its plan says how the objects were "
          + "found: an index on the filtered property may help, or a limit. explain(_:for:) "
          + "counts what it reads.",
        metadata: metadata)
    }
  }
#endif
