// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that only who runs the comparisons needs what they compare with (libsimdjson-dev).
let package = Package(
    name: "rooms-benchmarks",
    dependencies: [.package(name: "rooms", path: "..")],
    targets: [
        // For this machine's instruction set: simdjson's on-demand parser is chosen when compiled, and without one of
        // the wider sets it falls back to plain code.
        .target(
            name: "CSimdjson", cxxSettings: [.unsafeFlags(["-march=native"])],
            linkerSettings: [.linkedLibrary("simdjson")]),
        .executableTarget(
            name: "json-benchmark", dependencies: ["CSimdjson", .product(name: "Wire", package: "rooms")]),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)
