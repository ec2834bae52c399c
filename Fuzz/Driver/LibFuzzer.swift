// SPDX-License-Identifier: Apache-2.0

#if LIBFUZZER
  import Foundation

  /// The same subjects under libFuzzer, which chooses inputs by the code that they reach. A finding
  /// traps, so that libFuzzer keeps the input.
  ///
  /// The environment variable `STRATA_FUZZ_SUBJECT` names the subject, because the command line is
  /// libFuzzer's. `Fuzz/libfuzzer` sets it.
  enum LibFuzzer {
    static let subject: any Subject.Type = {
      let name = ProcessInfo.processInfo.environment["STRATA_FUZZ_SUBJECT"] ?? ""
      guard let subject = Fuzz.found(name).first else { Fuzz.refuse() }
      return subject
    }()

    /// Runs until libFuzzer ends the process.
    static func main() {
      _ = subject
      var count = CommandLine.argc
      var arguments = CommandLine.unsafeArgv
      _ = runDriver(&count, &arguments, probe)
    }
  }

  /// The callback of libFuzzer.
  private func probe(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    do throws(Finding) {
      try LibFuzzer.subject.probe(UnsafeRawBufferPointer(start: start, count: count))
    } catch {
      fatalError("\(LibFuzzer.subject.name): \(error)")
    }
    return 0
  }

  /// FuzzerInterface.h: LLVMFuzzerRunDriver.
  @_silgen_name("LLVMFuzzerRunDriver")
  private func runDriver(
    _ count: UnsafeMutablePointer<Int32>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ probe: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
  ) -> Int32
#endif
