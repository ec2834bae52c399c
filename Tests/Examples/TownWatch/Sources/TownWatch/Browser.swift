// SPDX-License-Identifier: Apache-2.0
import Foundation
import Geonames
import Strata

/// The live list in a terminal: the selection, the part on the screen, and the keys.
@MainActor final class Browser {
  private let towns: Towns
  private let terminal: Terminal
  private let events = Events()
  private var following: Task<Void, Never>?

  /// The selected city stays selected wherever changes move it.
  private var selected: ObjectID?
  /// The place of the first city on the screen.
  private var top = 0
  /// The cities of the last change.
  private var marked: Set<ObjectID> = []
  private var changeCount = 0
  /// The text of the filter while it is typed.
  private var typed: String?

  init(_ towns: Towns, in terminal: Terminal) {
    (self.towns, self.terminal) = (towns, terminal)
  }

  /// Runs until a key, a signal or the end of the input ends it. The terminal has its former mode
  /// then, also after an error.
  func run() async throws {
    defer { terminal.leave() }
    follow()
    draw()
    for await event in events.stream {
      switch event {
      case .key(let key): if try !press(key) { return }
      case .changed(let difference): note(difference)
      case .resized: break
      case .suspended: suspend()
      case .ended(nil): return
      case .ended(let number?):
        terminal.leave()
        exit(128 + number)
      }
      draw()
    }
  }

  // MARK: - The list

  private func show(_ filter: String) throws {
    try towns.show(filter)
    (top, marked, selected) = (0, [], nil)
    follow()
  }

  private func follow() {
    following?.cancel()
    let (updates, continuation) = (towns.list.updates(), events.continuation)
    following = Task {
      for await update in updates { continuation.yield(.changed(update.difference)) }
    }
    if selected == nil { select(0) }
  }

  private func note(_ difference: FetchedResultsDifference) {
    changeCount += 1
    marked = Set(
      difference.insertions.map(\.objectID) + difference.moves.map(\.objectID)
        + difference.updates.map(\.objectID))
    if selected.flatMap(towns.place(of:)) == nil { select(top) }
  }

  // MARK: - Keys

  /// Returns false if the key ends the program.
  private func press(_ key: Key) throws -> Bool {
    if typed != nil {
      try type(key)
    } else {
      switch key {
      case .text("q"), .control("c"), .control("d"): return false
      case .control("z"): suspend()
      case .up, .text("k"): move(by: -1)
      case .down, .text("j"): move(by: 1)
      case .pageUp: move(by: -pageCount)
      case .pageDown, .text(" "): move(by: pageCount)
      case .home, .text("g"): select(0)
      case .end, .text("G"): select(towns.cities.count - 1)
      case .text("/"): typed = ""
      case .escape: if !towns.filter.isEmpty { try show("") }
      default: break
      }
    }
    return true
  }

  private func type(_ key: Key) throws {
    switch key {
    case .text(let character): typed?.append(character)
    case .backspace: _ = typed?.popLast()
    case .enter:
      try show(typed ?? "")
      typed = nil
    case .escape, .control("c"): typed = nil
    default: break
    }
  }

  private func move(by count: Int) {
    select((selected.flatMap(towns.place(of:)) ?? 0) + count)
  }

  private func select(_ place: Int) {
    let places = towns.cities.indices
    selected = places.isEmpty ? nil : towns.cities[min(max(place, 0), places.count - 1)].objectID
  }

  private func suspend() {
    terminal.leave()
    raise(SIGSTOP)  // stops here: a signal to the process might stop another thread first
    terminal.enter()
  }

  // MARK: - The screen

  /// The number of cities on the screen: the first line is a title, the last one has the keys.
  private var pageCount: Int { max(1, terminal.size.lineCount - 2) }

  private func draw() {
    let place = selected.flatMap(towns.place(of:)) ?? 0
    top = min(top, max(0, towns.cities.count - pageCount))
    top = min(max(top, place - pageCount + 1), place)
    let shown = towns.cities.dropFirst(top).prefix(pageCount)
    var lines = [title] + shown.map { line(of: $0) }
    lines += Array(repeating: StyledLine(text: "", style: .plain), count: pageCount - shown.count)
    terminal.show(lines + [footer])
  }

  private var title: StyledLine {
    let filter = towns.filter.isEmpty ? "" : " with “\(towns.filter)”"
    return StyledLine(
      text: " cities\(filter): \(towns.cities.count)   changes seen: \(changeCount)",
      style: .title)
  }

  private var footer: StyledLine {
    if let typed { return StyledLine(text: " filter: \(typed)▏", style: .plain) }
    return StyledLine(
      text: " ↑↓ move   space page   g G ends   / filter   esc all   q quit", style: .faint)
  }

  private func line(of city: City) -> StyledLine {
    let isSelected = city.objectID == selected
    let style: StyledLine.Style =
      marked.contains(city.objectID)
      ? (isSelected ? .selectedChanged : .changed) : (isSelected ? .selected : .plain)
    let population = city.population.formatted(.number.locale(Locale(identifier: "en")))
    let width = max(2, terminal.size.columnCount - Self.populationWidth - 2)
    let texts = [
      padded(city.name.plain, to: width * 3 / 5),
      padded(city.country?.name.plain ?? "", to: width * 2 / 5),
      String(repeating: " ", count: max(0, Self.populationWidth - population.count)) + population,
    ]
    return StyledLine(text: " " + texts.joined(), style: style)
  }

  private static let populationWidth = 12

  /// Returns the beginning of `text`, followed by spaces, with `width` characters.
  private func padded(_ text: String, to width: Int) -> String {
    String(text.prefix(width - 1)) + String(repeating: " ", count: max(1, width - text.count))
  }
}
