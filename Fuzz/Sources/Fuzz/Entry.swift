import CLibFuzzer
import Glibc

/// The package manager has an executable begin at `<module>_main`, which takes the place of the fuzzer's own `main`.
@_cdecl("Fuzz_main")
public func fuzzMain(
    _ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
) -> CInt {
    var count = count
    var arguments = arguments
    return LLVMFuzzerRunDriver(&count, &arguments, fuzzOneInput)
}

/// The fuzzer calls this with each input. The target is looked up once, at the first one.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    chosenTarget(UnsafeRawBufferPointer(start: start, count: count))
    return 0
}

private let chosenTarget: FuzzTarget = {
    let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
    if let target = fuzzTargets.first(where: { $0.name == name }) { return target.run }
    let names = fuzzTargets.map(\.name).joined(separator: ", ")
    let complaint = Array("FUZZ_TARGET is '\(name)', but must be one of: \(names)\n".utf8)
    _ = write(STDERR_FILENO, complaint, complaint.count)
    exit(2)
}()
