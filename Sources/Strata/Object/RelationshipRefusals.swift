// SPDX-License-Identifier: Apache-2.0
public import StrataModel

// Types that programs try for relationships, and that are none. A macro sees how a type is spelled,
// not whether it is an entity's. So the compiler refuses these types, at the functions and
// accessors that `@Entity` calls, with the type to write instead.

extension ManagedObject {
  /// A to-one relationship may have no target, so its property is optional.
  @available(*, unavailable, message: "a to-one relationship is optional: add a question mark")
  public final subscript<T: ManagedObject>(slot slot: Int, as _: T.Type = T.self) -> T {
    get { fatalError() }
    set { fatalError() }
  }

  /// A to-many relationship is a view of its members, and no collection of its own.
  @available(*, unavailable, message: "a to-many relationship is a 'ToMany' or an 'OrderedToMany'")
  @_disfavoredOverload
  public final subscript<C: Collection>(slot slot: Int, as _: C.Type = C.self) -> C
  where C.Element: ManagedObject {
    get { fatalError() }
    set { fatalError() }
  }

  /// A to-many relationship is empty, never nil.
  @available(*, unavailable, message: "a to-many relationship is a 'ToMany' or an 'OrderedToMany'")
  @_disfavoredOverload
  public final subscript<C: Collection>(slot slot: Int, as _: C?.Type = C?.self) -> C?
  where C.Element: ManagedObject {
    get { fatalError() }
    set { fatalError() }
  }
}

extension PropertyDescription {
  /// A to-one relationship may have no target, so its property is optional.
  @available(*, unavailable, message: "a to-one relationship is optional: add a question mark")
  public static func property<Root: ManagedObject, T: ManagedObject>(
    _ name: String, _ keyPath: PartialKeyPath<Root> & Sendable, as type: T.Type,
    default defaultValue: T? = nil
  ) -> PropertyDescription { fatalError() }

  /// A to-many relationship is a view of its members, and no collection of its own.
  @available(*, unavailable, message: "a to-many relationship is a 'ToMany' or an 'OrderedToMany'")
  @_disfavoredOverload
  public static func property<Root: ManagedObject, C: Collection>(
    _ name: String, _ keyPath: PartialKeyPath<Root> & Sendable, as type: C.Type,
    default defaultValue: C? = nil
  ) -> PropertyDescription where C.Element: ManagedObject { fatalError() }

  /// A to-many relationship is empty, never nil.
  @available(*, unavailable, message: "a to-many relationship is a 'ToMany' or an 'OrderedToMany'")
  @_disfavoredOverload
  public static func property<Root: ManagedObject, C: Collection>(
    _ name: String, _ keyPath: PartialKeyPath<Root> & Sendable, as type: C?.Type,
    default defaultValue: C?? = nil
  ) -> PropertyDescription where C.Element: ManagedObject { fatalError() }
}
