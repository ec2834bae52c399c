// SPDX-License-Identifier: Apache-2.0

#if Macros
  import SwiftSyntax

  extension MarkedProperty {
    /// An external attribute is `Data` and in no index; of a type that is not known here, the model
    /// says so when it is built.
    private func checkExternal(report: Report) {
      guard let external = node.option("external") else { return }
      let others = ["unique", "indexed", "transient"].compactMap { node.option($0) }
      if let other = others.first ?? node.rule("derived") {
        report(.externalWith(option: other.trimmedDescription), at: external)
      }
      if let type, case .value(let value) = TypeSpelling(type).unwrapped, value != "Data" {
        report(.externalOfType(type.trimmedDescription), at: external)
      }
    }

    func checkAttribute(report: Report) {
      if let type, TypeSpelling(type).isToMany,
        variable.attribute(named: Marker.relationship.rawValue) == nil
      {
        // The arguments do not fit @Relationship: with any, changing the word alone does not help.
        let remedies =
          node.labeledArguments.isEmpty ? [Remedy.replace(node, by: .relationship)] : []
        report(
          .attributeOfObjects(name, type: type.trimmedDescription), at: node, remedies: remedies)
      }
      if let transient = node.option("transient"),
        let indexed = node.option("unique") ?? node.option("indexed")
      {
        report(.indexedTransient(option: indexed.trimmedDescription), at: transient)
      }
      checkExternal(report: report)
      checkRules(report: report)
    }
  }
#endif
