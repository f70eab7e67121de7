// swift-tools-version: 6.2
import PackageDescription

// A package of its own: what the fuzzer needs are unsafe flags, which would bar the main package from being
// depended on. `run.sh` passes the sanitizers on the command line, so that the modules under test are instrumented
// as well; see README.md.
let package = Package(
    name: "fuzz",
    dependencies: [.package(name: "rooms", path: "..")],
    targets: [
        .systemLibrary(name: "CLibFuzzer"),
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                "CLibFuzzer", .product(name: "Wire", package: "rooms"), .product(name: "Media", package: "rooms"),
            ],
            swiftSettings: [.unsafeFlags(["-parse-as-library"])]),
    ],
    swiftLanguageModes: [.v6]
)
