// swift-tools-version: 6.2
import PackageDescription

// A package of its own, as that of an application would be.
let package = Package(
    name: "rooms-examples",
    dependencies: [.package(name: "rooms", path: "..")],
    targets: [
        .executableTarget(
            name: "terminal-room", dependencies: [.product(name: "RoomsClient", package: "rooms")])
    ],
    swiftLanguageModes: [.v6]
)
