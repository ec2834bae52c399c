// SPDX-License-Identifier: Apache-2.0

#if Macros
  import SwiftSyntax

  /// A stored property with `@Entity`'s accessors, as the macro reads it. Properties that are left
  /// to the user (computed, static) have none.
  struct PersistentProperty {
    /// The name as the source has it, with backticks where it has them.
    let name: String
    /// Without backticks: the property's name in the model.
    let bareName: String
    let type: TypeSyntax
    /// The default value; nil for none, and for one that is no more than `nil`.
    let initialValue: ExprSyntax?
    let marker: Marker?
    let markerArguments: [LabeledExprSyntax]
    /// Whether it has a mistake. Then it gets no slot, and its accessors only prevent consequential
    /// errors of the compiler.
    private(set) var isRefused = false

    /// Reads `variable` and reports all mistakes in it, except for its markers' mistakes, which
    /// report them themselves.
    init?(_ variable: VariableDeclSyntax, report: Report) {
      guard !variable.isOfType, !variable.isComputed,
        let binding = variable.onlyBinding(report: report),
        let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
      else { return nil }
      name = pattern.identifier.trimmed.text
      bareName = pattern.identifier.bareText

      if PropertyChecks.reportStorage(of: variable, binding, named: bareName, report: report) {
        return nil
      }
      guard let type = binding.typeAnnotation?.type else {
        report(.missingType(bareName), at: binding.pattern, remedies: Remedy.annotate(binding))
        return nil
      }
      self.type = type

      let marked = Marker.allCases.compactMap { marker in
        variable.attribute(named: marker.rawValue).map { MarkedProperty(marker, $0, on: variable) }
      }
      marker = marked.first?.marker
      markerArguments = marked.first?.node.labeledArguments ?? []

      let value = binding.initializer?.value
      initialValue = value?.is(NilLiteralExprSyntax.self) == true ? nil : value

      // The markers report theirs themselves.
      let unheard = Report()
      for property in marked { property.check(report: unheard) }
      let former = report.count
      PropertyChecks.report(of: binding, self, report: report)
      isRefused = unheard.count + report.count > former
    }
  }

  extension VariableDeclSyntax {
    /// The one variable that the declaration declares. Of several or of a tuple's parts, the macros
    /// could give accessors to none: reported.
    fileprivate func onlyBinding(report: Report) -> PatternBindingSyntax? {
      guard bindings.count == 1, let binding = bindings.first,
        binding.pattern.is(IdentifierPatternSyntax.self)
      else {
        // The second variable; of a tuple, all of it.
        if let excess = bindings.dropFirst().first ?? bindings.first {
          report(.severalBindings, at: excess.pattern)
        }
        return nil
      }
      return binding
    }
  }
#endif
