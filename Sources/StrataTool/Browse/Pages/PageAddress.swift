// SPDX-License-Identifier: Apache-2.0
import Strata

/// The address of a page: its path and its query.
///
/// | path | page |
/// | --- | --- |
/// | `/` | the store |
/// | `/entity/City` | the objects of an entity: `where`, `sort`, `page`, `size`, `plan` |
/// | `/object/City/5` | an object; `edit` for its form |
/// | `/object/City/5/members/tags` | the members of a to-many relationship: `page`, `size` |
/// | `/object/City/5/value/name` | a value as a file |
/// | `/history` | the transactions: `before` |
/// | `/history/7` | the changes of a transaction: `page` |
/// | `/events` | the stream of changes: `revision`, `after` |
/// | `/browse.css`, `/browse.js` | the style and the script of all pages |
struct PageAddress: Sendable {
  var path: [String]
  var query: [(name: String, value: String)] = []

  static let store = PageAddress(path: [])
  static let history = PageAddress(path: ["history"])

  static func entity(_ name: String) -> PageAddress { PageAddress(path: ["entity", name]) }

  static func object(_ id: ObjectID) -> PageAddress {
    // The name of an entity may have slashes.
    let text = id.shownText
    let slash = text.lastIndex(of: "/") ?? text.endIndex
    return PageAddress(
      path: ["object", String(text[..<slash]), String(text[slash...].dropFirst())])
  }

  static func members(_ relationship: String, of id: ObjectID) -> PageAddress {
    object(id).below("members", relationship)
  }

  static func value(_ attribute: String, of id: ObjectID) -> PageAddress {
    object(id).below("value", attribute)
  }

  static func transaction(_ number: UInt64) -> PageAddress { history.below("\(number)") }

  /// The address with `segments` after its path, and without a query.
  func below(_ segments: String...) -> PageAddress { PageAddress(path: path + segments) }

  /// The address with a field of the query set; nil removes it.
  func with(_ name: String, _ value: String?) -> PageAddress {
    var address = self
    address.query.removeAll { $0.name == name }
    if let value { address.query.append((name, value)) }
    return address
  }

  var text: String {
    let path = "/" + path.map(PercentCoding.encode).joined(separator: "/")
    return query.isEmpty ? path : path + "?" + FormFields(query).text
  }
}
