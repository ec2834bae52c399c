// SPDX-License-Identifier: Apache-2.0

/// Looks for the simplest form of something that fails. It proposes simpler forms, one after the
/// other; the caller tries them, and keeps those that still fail.
///
///     var shrinker = Shrinker(steps, limit: 500, simpler: Shrinker.leavingOut)
///     while let steps = shrinker.next() {
///       if fails(steps) { shrinker.keep(steps) }
///     }
///
/// Having kept a form, it goes on where it was, and begins again from the first proposal as long as
/// a round made the form simpler.
public struct Shrinker<Form> {
  /// The simplest form that failed.
  public private(set) var best: Form
  private let simpler: (Form) -> [Form]
  private var forms: [Form]
  private var index = 0
  private var triesLeft: Int
  private var hasKept = false

  /// - Parameters:
  ///   - form: what fails.
  ///   - limit: how many forms are proposed at most.
  ///   - simpler: the forms with one thing less.
  public init(_ form: Form, limit: Int, simpler: @escaping (Form) -> [Form]) {
    best = form
    self.simpler = simpler
    forms = simpler(form)
    triesLeft = limit
  }

  /// The next form to be tried; nil if there is none left.
  public mutating func next() -> Form? {
    guard triesLeft > 0 else { return nil }
    if index >= forms.count {
      guard hasKept else { return nil }
      (index, hasKept) = (0, false)
      if forms.isEmpty { return nil }
    }
    triesLeft -= 1
    index += 1
    return forms[index - 1]
  }

  /// Has `form` be the simplest one: the one that `next` proposed last, or a part of that.
  public mutating func keep(_ form: Form) {
    best = form
    forms = simpler(form)
    index -= 1
    hasKept = true
  }

  /// The steps without some that follow on one another: many at first, then single ones, the last
  /// ones first. What comes last is needed, what comes before it often is not.
  public static func leavingOut<Step>(_ steps: [Step]) -> [Form] where Form == [Step] {
    var forms: [Form] = []
    var size = steps.count / 2
    while size > 0 {
      for end in stride(from: steps.count, to: 0, by: -size) {
        let rest = Array(steps[..<max(0, end - size)] + steps[end...])
        if !rest.isEmpty { forms.append(rest) }
      }
      size /= 2
    }
    return forms
  }
}
