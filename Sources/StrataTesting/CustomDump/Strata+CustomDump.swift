// SPDX-License-Identifier: Apache-2.0
#if CustomDump
  public import CustomDump
  public import Strata
  public import StrataModel
  import StrataRecord

  // How the dumps and differences of swift-custom-dump show Strata's types: values plainly, objects
  // by their short names, which are the same each time. The UUIDs of stores are left out.

  extension ObjectID: CustomDumpStringConvertible {
    /// The short name: `City/5`.
    public var customDumpDescription: String { shortName }
  }

  extension PropertyValue: CustomDumpStringConvertible {
    /// The value without its case: `421878`, `"Bern"`, `City/5`.
    public var customDumpDescription: String { shownText }
  }

  extension ManagedObject: CustomDumpReflectable {
    /// The ID, the attributes that are not external, and the to-one targets as IDs. A fault fires.
    public final var customDumpMirror: Mirror {
      var children: [Mirror.Child] = [("objectID", objectID)]
      for property in propertiesOfDump {
        if let value = try? value(for: property.name) { children.append((property.name, value)) }
      }
      guard let type = type(of: self) as? any Entity.Type else {
        return Self.mirror(of: self, children)
      }
      return mirror(as: type, children)
    }

    /// A mirror that names the class of the object, which a dump shows. The parameter of the type
    /// `Entity.Type` is the class itself, not `ManagedObject`.
    private func mirror<Object: Entity>(
      as type: Object.Type, _ children: [Mirror.Child]
    ) -> Mirror {
      guard let object = self as? Object else { return Self.mirror(of: self, children) }
      return Self.mirror(of: object, children)
    }

    private static func mirror<Object: ManagedObject>(
      of object: Object, _ children: [Mirror.Child]
    ) -> Mirror {
      Mirror(object, children: children, displayStyle: .class, ancestorRepresentation: .suppressed)
    }

    private var propertiesOfDump: [PropertyDescription] {
      let schema = managedObjectContext?.coordinator.schema
      let properties = schema?.entity(objectID.key.entity)?.description.properties ?? []
      return properties.filter { property in
        property.relationship?.isToMany != true && property.attribute?.isExternal != true
      }
    }
  }

  extension ToMany: CustomDumpReflectable {
    /// The members' IDs.
    public var customDumpMirror: Mirror {
      Mirror(self, unlabeledChildren: map(\.objectID), displayStyle: .set)
    }
  }

  extension OrderedToMany: CustomDumpReflectable {
    /// The members' IDs, in their order.
    public var customDumpMirror: Mirror {
      Mirror(self, unlabeledChildren: map(\.objectID), displayStyle: .collection)
    }
  }
#endif
