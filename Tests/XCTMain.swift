import Testing

/// The program that all tests are in. With an entry point of its own SwiftPM does not look for tests of XCTest, for which
/// it would need the index that `Tests/run.py` leaves out.
@main struct AllTests {
    static func main() async {
        // `swift test` asks for the tests of XCTest first. Without this answer all tests would run instead.
        if CommandLine.arguments.contains("--dump-tests-json") { return print(#"{"name":"All tests","tests":[]}"#) }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
