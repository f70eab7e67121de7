import Testing

/// The program that all tests are in. With an entry point of its own SwiftPM does not look for tests of XCTest, for which
/// it would need the index that `Tests/run.py` leaves out.
@main struct AllTests {
    static func main() async {
        await Testing.__swiftPMEntryPoint() as Never
    }
}
