// SPDX-License-Identifier: Apache-2.0
import StrataPrimitives

/// Reads a whole file before LMDB maps it, and finds out whether LMDB can use it.
///
/// LMDB trusts the pages of a file: with damaged ones it ends the process by a signal, writes over
/// its own memory, or leaves entries out. This checks that
/// - the two headers are of two commits in a row,
/// - each page of each tree is one, has the number and the kind that its place requires, and its
///   nodes fill it (`CheckedPage`),
/// - the keys of each tree ascend, within the bounds of its branches,
/// - each tree has the pages and entries that its description counts,
/// - no page is used twice, and none that is used is in the list of free pages,
/// - the content is as the last commit has sealed it (`ContentSeal`). A file of a former release
///   has no seal.
///
/// The file is read, not mapped: a map of a truncated file raises a signal.
///
/// ## Isolation
/// Any thread. No process may write to the file in the meantime.
///
/// - Complexity: O(pages), one page in memory for each level of a tree.
struct FileCheck: ~Copyable {
  private let file: Int32
  private let header: FileHeader
  private let fileByteCount: UInt64
  /// One bit for each page up to the last one.
  private var used: [UInt64]
  private var seal: ContentSeal?
  /// The digest of the content, as far as it was read.
  private var digest: UInt64 = 0
  private var hasFailedHeader = false
  /// A page for each level.
  private let buffers: UnsafeMutableRawBufferPointer

  /// lmdb's own limit (mdb.c: CURSOR_STACK).
  fileprivate static let depthMax = 32

  /// - Parameters:
  ///   - file: open for reading.
  ///   - header: of the commit whose pages are checked. No page may be written to in the meantime.
  /// - Returns: the digest of the content, without the seal; and whether the older header is one
  ///   that LMDB has put back, as the note beside the file says.
  /// - Throws: `damagedPage`; `io`.
  @discardableResult
  static func run(
    _ file: Int32, _ header: FileHeader
  ) throws(LMDBError) -> (digest: UInt64, hasFailedHeader: Bool) {
    var check = try FileCheck(file, header)
    try check.run()
    return (check.digest, check.hasFailedHeader)
  }

  /// Checks the tree of the notes and of the descriptions of all trees, and where these begin.
  ///
  /// - Throws: as `run`.
  static func runOnDirectory(_ file: Int32, _ header: FileHeader) throws(LMDBError) {
    var check = try FileCheck(file, header)
    var trees: [TreeDescription] = []
    try check.walk(header.directory, .directory, seed: ContentSeal.seedOfNotes) { tree, _ in
      trees.append(tree)
    }
    for tree in trees {
      try tree.checkDepth()
      if tree.depth > 0 { try check.use(tree.root) }
    }
  }

  private init(_ file: Int32, _ header: FileHeader) throws(LMDBError) {
    var status = stat()
    guard fstat(file, &status) == 0 else { throw LMDBError(code: errno) }
    // LMDB does not write the last pages of a commit if they are free again. So a sound file may
    // be shorter than its header says, and reading a page finds out whether it is there.
    let pageCount = UInt64(status.st_size) / UInt64(header.pageByteCount)
    guard header.lastPage < pageCount + Self.unwrittenCountMax else {
      throw .damagedPage(number: header.lastPage, .missing)
    }
    self.init(file, header, byteCount: UInt64(status.st_size))
  }

  /// Of pages behind the end of the file: as many as the map has.
  private static var unwrittenCountMax: UInt64 { 1 << 28 }

  private init(_ file: Int32, _ header: FileHeader, byteCount: UInt64) {
    (self.file, self.header, fileByteCount) = (file, header, byteCount)
    used = [UInt64](repeating: 0, count: Int(header.lastPage / 64) + 1)
    buffers = .allocate(byteCount: header.pageByteCount * (Self.depthMax + 1), alignment: 8)
    used[0] = 3
  }

  deinit { buffers.deallocate() }

  private mutating func run() throws(LMDBError) {
    var trees: [(description: TreeDescription, seed: UInt64)] = []
    try walk(header.directory, .directory, seed: ContentSeal.seedOfNotes) { trees.append(($0, $1)) }
    for tree in trees { try walk(tree.description, .plain, seed: tree.seed) { _, _ in } }
    try walk(header.freePages, .freePages, seed: 0) { _, _ in }
    try compareSeal()
  }

  private mutating func compareSeal() throws(LMDBError) {
    guard let seal, !StorageFault.sealUnchecked.isPlanted else { return }
    // A compacted copy begins with the number 1.
    let isCopy = header.number == 1
    guard seal.digest == digest, isCopy || seal.number == header.number else {
      throw .damagedPage(number: 0, .seal)
    }
    if isCopy || seal.formerHeader == header.formerDigest { return }
    guard FailedHeader(digest: header.formerDigest).isKnown(of: file) else {
      throw .damagedPage(number: 0, .seal)
    }
    hasFailedHeader = true
  }

  // MARK: - Pages

  /// - Throws: `damagedPage` if the page is beyond the last one, or was used before.
  private mutating func use(_ number: UInt64) throws(LMDBError) {
    guard number <= header.lastPage else { throw .damagedPage(number: number, .missing) }
    let (word, bit) = (Int(number / 64), UInt64(1) << (number % 64))
    guard used[word] & bit == 0 else { throw .damagedPage(number: number, .repeated) }
    used[word] |= bit
  }

  private func read(
    _ count: Int, at number: UInt64, into start: UnsafeMutableRawPointer
  ) throws(LMDBError) {
    var done = 0
    while done < count {
      let offset = off_t(number) * off_t(header.pageByteCount) + off_t(done)
      let got = pread(file, start + done, count - done, offset)
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw LMDBError(code: errno) }
      guard got > 0 else { throw .damagedPage(number: number, .missing) }
      done += got
    }
  }

  // MARK: - Trees

  private enum Role { case directory, plain, freePages }

  /// The state of one tree's walk.
  private struct Walk {
    let tree: TreeDescription
    let role: Role
    /// The seed of the digests of its entries.
    let seed: UInt64
    var branchCount: UInt64 = 0
    var leafCount: UInt64 = 0
    var valuePageCount: UInt64 = 0
    var entryCount: UInt64 = 0
    /// The last key, or the last key of a branch on the way to the next leaf.
    var last: [UInt8] = []
    /// Whether the next key may equal `last`, which is a branch's.
    var isBound = true

    /// - Parameter isBound: whether it is a key of a branch.
    mutating func pass(_ key: UnsafeRawBufferPointer, isBound: Bool) -> Bool {
      let isAbove = last.withUnsafeBytes { last in
        if last.isEmpty { return true }
        if role == .freePages {
          guard last.count == 8, key.count == 8 else { return false }
          let (former, number) = (
            last.loadUnaligned(as: UInt64.self), key.loadUnaligned(as: UInt64.self)
          )
          return former < number || self.isBound && former == number
        }
        return last.isBelow(key) || self.isBound && !key.isBelow(last)
      }
      last.replaceSubrange(last.indices, with: key)
      self.isBound = isBound
      return isAbove
    }
  }

  private mutating func walk(
    _ tree: TreeDescription, _ role: Role, seed: UInt64,
    _ found: (TreeDescription, _ seed: UInt64) -> Void
  ) throws(LMDBError) {
    try tree.checkDepth()
    var walk = Walk(tree: tree, role: role, seed: seed)
    if tree.depth > 0 { try visit(tree.root, level: 1, &walk, found) }
    guard walk.branchCount == tree.branchCount, walk.leafCount == tree.leafCount,
      walk.valuePageCount == tree.valuePageCount, walk.entryCount == tree.entryCount
    else { throw .damagedPage(number: tree.root, .counts) }
  }

  private mutating func visit(
    _ number: UInt64, level: Int, _ walk: inout Walk,
    _ found: (TreeDescription, _ seed: UInt64) -> Void
  ) throws(LMDBError) {
    try use(number)
    guard let start = buffers.baseAddress else { return }
    let bytes = start + (level - 1) * header.pageByteCount
    try read(header.pageByteCount, at: number, into: bytes)
    let isLeaf = level == walk.tree.depth
    let page: CheckedPage
    do throws(PageFlaw) {
      page = try CheckedPage(
        bytes, header.pageByteCount, number: number, kind: isLeaf ? .leaf : .branch)
      if !isLeaf, page.count < 2, walk.role != .freePages { throw .bounds }
    } catch {
      throw .damagedPage(number: number, error)
    }
    if isLeaf {
      walk.leafCount += 1
      walk.entryCount += UInt64(page.count)
      for index in 0..<page.count { try visitEntry(index, of: page, number, &walk, found) }
    } else {
      walk.branchCount += 1
      for index in 0..<page.count {
        // The first key of a branch is below all, whatever it is.
        if index > 0, !walk.pass(page.key(at: index), isBound: true) {
          throw .damagedPage(number: number, .order)
        }
        try visit(page.child(at: index), level: level + 1, &walk, found)
      }
    }
  }

  private mutating func visitEntry(
    _ index: Int, of page: CheckedPage, _ number: UInt64, _ walk: inout Walk,
    _ found: (TreeDescription, _ seed: UInt64) -> Void
  ) throws(LMDBError) {
    let key = page.key(at: index)
    guard !key.isEmpty, walk.pass(key, isBound: false) else {
      throw .damagedPage(number: number, .order)
    }
    switch page.value(at: index) {
    case .bytes(let bytes): try note(bytes, under: key, on: number, walk)
    case .pages(let first, let byteCount):
      try readValue(first, byteCount: byteCount, &walk) { (bytes, check, walk) throws(LMDBError) in
        try check.note(bytes, under: key, on: number, walk)
      }
    case .tree(let description):
      guard walk.role == .directory else { throw .damagedPage(number: number, .kind) }
      let tree = TreeDescription(description)
      guard tree.flags == 0 else { throw .damagedPage(number: number, .kind) }
      found(tree, ContentSeal.seed(ofTree: String(decoding: key, as: UTF8.self)))
    }
  }

  /// Notes an entry: adds it to the digest, or its free pages to the pages that are used.
  private mutating func note(
    _ value: UnsafeRawBufferPointer, under key: UnsafeRawBufferPointer, on number: UInt64,
    _ walk: Walk
  ) throws(LMDBError) {
    switch walk.role {
    case .freePages: try noteFree(value, key, on: number)
    case .directory where ContentSeal.isName(key):
      guard let found = ContentSeal(value) else { throw .damagedPage(number: number, .seal) }
      seal = found
    case .directory, .plain: digest &+= ContentSeal.digest(of: key, value, seed: walk.seed)
    }
  }

  /// Reads a long value. It may have more pages than it needs, left by a longer value before it.
  private mutating func readValue(
    _ first: UInt64, byteCount: Int, _ walk: inout Walk,
    _ body: (UnsafeRawBufferPointer, inout FileCheck, Walk) throws(LMDBError) -> Void
  ) throws(LMDBError) {
    let head = MappedPages.headByteCount
    let neededCount = UInt64((byteCount + head - 1) / header.pageByteCount + 1)
    // All of its pages were written. The memory for it is no larger than the file.
    let pageCountOfFile = fileByteCount / UInt64(header.pageByteCount)
    guard first <= header.lastPage, neededCount <= header.lastPage - first + 1,
      first <= pageCountOfFile, neededCount <= pageCountOfFile - first
    else {
      throw .damagedPage(number: first, .missing)
    }
    let value = UnsafeMutableRawBufferPointer.allocate(
      byteCount: head + byteCount, alignment: 8)
    defer { value.deallocate() }
    guard let start = value.baseAddress else { return }
    try read(value.count, at: first, into: start)
    let pageCount = UInt64(value.load(fromByteOffset: 12, as: UInt32.self))
    guard value.load(as: UInt64.self) == first,
      value.load(fromByteOffset: 10, as: UInt16.self) == PageKind.value.rawValue,
      neededCount...(header.lastPage - first + 1) ~= pageCount
    else { throw .damagedPage(number: first, .value) }
    for number in first..<(first + pageCount) { try use(number) }
    walk.valuePageCount += pageCount
    try body(UnsafeRawBufferPointer(rebasing: value[head...]), &self, walk)
  }

  // MARK: - Free pages

  /// Notes the pages that a commit has freed: their count, then their numbers, descending.
  private mutating func noteFree(
    _ list: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer, on page: UInt64
  ) throws(LMDBError) {
    guard key.count == 8, key.loadUnaligned(as: UInt64.self) <= header.number, list.count >= 8,
      list.count % 8 == 0, list.loadUnaligned(as: UInt64.self) <= UInt64(list.count / 8 - 1)
    else { throw .damagedPage(number: page, .freePages) }
    var former = UInt64.max
    for index in 0..<Int(list.loadUnaligned(as: UInt64.self)) {
      let number = list.loadUnaligned(fromByteOffset: 8 * (index + 1), as: UInt64.self)
      guard number < former, number > 1 else { throw .damagedPage(number: page, .freePages) }
      former = number
      try use(number)
    }
  }
}

extension TreeDescription {
  /// - Throws: `damagedPage` if no tree has this depth and root.
  fileprivate func checkDepth() throws(LMDBError) {
    guard depth <= FileCheck.depthMax, (depth == 0) == (root == .max) else {
      throw .damagedPage(number: root, .counts)
    }
  }
}
