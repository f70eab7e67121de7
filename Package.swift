// swift-tools-version: 6.2
import PackageDescription

// C modules that include the same system headers confuse `MemberImportVisibility` about which of them declares
// `timespec` and the like, so the module beside them goes without it.
let besideC: [SwiftSetting] = [.enableUpcomingFeature("ExistentialAny")]
let swift: [SwiftSetting] = besideC + [.enableUpcomingFeature("MemberImportVisibility")]

let package = Package(
    name: "rooms",
    products: [
        .executable(name: "rooms", targets: ["rooms"]),
        .executable(name: "conformance-server", targets: ["conformance-server"]),
        .library(name: "Wire", targets: ["Wire"]),
        .library(name: "Transport", targets: ["Transport"]),
        .library(name: "Sessions", targets: ["Sessions"]),
        .library(name: "Media", targets: ["Media"]),
        .executable(name: "rooms-media", targets: ["rooms-media"]),
        .executable(name: "rooms-video", targets: ["rooms-video"]),
        .library(name: "RoomsClient", targets: ["RoomsClient"]),
    ],
    targets: [
        // System libraries, with shims for what Swift cannot import (macros, variadics, unions).
        .target(
            name: "CLibWebSockets",
            linkerSettings: [.linkedLibrary("websockets"), .linkedLibrary("uv")]),
        .target(name: "COpenSSL", linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]),
        .target(name: "CCurl", linkerSettings: [.linkedLibrary("curl")]),
        .target(name: "CSystem", linkerSettings: [.linkedLibrary("z")]),
        .target(name: "CSQLite", linkerSettings: [.linkedLibrary("sqlite3")]),

        .target(name: "CArgon2", linkerSettings: [.linkedLibrary("argon2")]),
        .target(name: "CPasskeys", linkerSettings: [.linkedLibrary("fido2"), .linkedLibrary("cbor")]),
        .target(name: "CPhoneNumbers", linkerSettings: [.linkedLibrary("phonenumber")]),
        .target(name: "CWallets", linkerSettings: [.linkedLibrary("secp256k1")]),
        .systemLibrary(name: "CPostgres", pkgConfig: "libpq"),
        .systemLibrary(name: "CGObject", pkgConfig: "gobject-2.0"),
        // A process that may do nothing but compute on what it has open.
        .target(name: "CSeal"),
        // Videos through libavformat and libavcodec. Linked into `rooms-video` alone.
        .target(
            name: "CVideo",
            linkerSettings: [
                .linkedLibrary("avformat"), .linkedLibrary("avcodec"), .linkedLibrary("avutil"),
                .linkedLibrary("swscale"), .linkedLibrary("m"),
            ]),
        // Images through libvips. Linked into `rooms-media` alone.
        .target(name: "CImaging", dependencies: ["CGObject"], linkerSettings: [.linkedLibrary("vips")]),

        // What threads share, and what they are.
        .target(name: "Threads", swiftSettings: swift),
        // Bytes to packets and back, without I/O.
        .target(name: "Wire", dependencies: ["COpenSSL", "CSystem"], swiftSettings: swift),
        // The domain: rooms, members, elements, cursors. Deterministic, without I/O.
        .target(name: "Rooms", dependencies: ["Wire"], swiftSettings: swift),
        // Event loops, sockets, TLS, HTTP exchanges, WebSocket connections.
        .target(
            name: "Transport", dependencies: ["Threads", "Wire", "CLibWebSockets", "COpenSSL", "CSystem"],
            swiftSettings: besideC),
        // Requests to other servers, through libcurl.
        .target(name: "Fetch", dependencies: ["Threads", "Wire", "CCurl", "COpenSSL"], swiftSettings: besideC),
        // Tokens, and the keys with which they are verified.
        .target(
            name: "Identity", dependencies: ["Threads", "Wire", "Fetch", "COpenSSL"], swiftSettings: besideC),
        // What must outlive a restart: rooms' journals and elements, people, notifications, files.
        .target(
            name: "Store", dependencies: ["Threads", "Wire", "Rooms", "CSQLite", "CPostgres"], swiftSettings: besideC),
        // Texts to people, through providers.
        .target(name: "Carriers", dependencies: ["Threads", "Wire", "Fetch"], swiftSettings: swift),
        // What a chain says of wallets, through a node of it.
        .target(name: "Chains", dependencies: ["Wire", "Fetch"], swiftSettings: swift),
        // People with an account of this server: credentials, sessions, tokens.
        .target(
            name: "Accounts",
            dependencies: [
                "Threads", "Wire", "Fetch", "Identity", "Transport", "Store", "Carriers", "Chains", "CArgon2",
                "CPasskeys", "CPhoneNumbers", "CWallets",
            ],
            swiftSettings: besideC),
        // The pipes between the nodes of a cluster, through Redis.
        .target(
            name: "Cluster", dependencies: ["Threads", "Wire", "RoomsClient", "COpenSSL"], swiftSettings: besideC),
        // Engine.IO and Socket.IO sessions on a transport, for any application.
        .target(name: "Sessions", dependencies: ["Threads", "Wire", "Transport"], swiftSettings: swift),
        // Uploaded files: what they are, where they are kept, and the process that works on them.
        .target(name: "CSpawn"),
        .target(name: "Media", dependencies: ["Threads", "Wire", "CSpawn"], swiftSettings: besideC),
        // Uploaded files and recordings in a bucket of an S3-compatible store.
        .target(
            name: "Buckets", dependencies: ["Threads", "Wire", "Fetch", "Media", "Recordings", "COpenSSL"],
            swiftSettings: besideC),
        // Notifications, from the store's outbox to a provider.
        .target(
            name: "Push", dependencies: ["Threads", "Wire", "Fetch", "Identity", "Store", "COpenSSL"],
            swiftSettings: besideC),
        // Rooms for Socket.IO clients: events in, ticks out.
        .target(
            name: "Relay",
            dependencies: ["Threads", "Wire", "Rooms", "Identity", "Transport", "Sessions", "Store", "Media"],
            swiftSettings: swift),
        // The page on which people meet in a room, as it is sent to browsers. Its files are in Board/page.
        .target(name: "CBoard"),
        .target(
            name: "Board",
            dependencies: ["CBoard", "Threads", "Wire", "Transport", "Sessions", "RoomsClient", "RoomsBots"],
            exclude: ["page"], swiftSettings: besideC),
        // What is asked for over plain HTTP: people, their rooms and what is in them.
        .target(
            name: "API",
            dependencies: [
                "Threads", "Wire", "Rooms", "Transport", "Sessions", "Relay", "Identity", "Store", "Media", "Accounts",
                "Recorder",
            ],
            swiftSettings: swift),
        // What operators see and do: metrics, and the console, whose files are in Operations/page.
        .target(name: "CConsole"),
        .target(
            name: "Operations",
            dependencies: [
                "Threads", "Logging", "Wire", "Rooms", "Transport", "Sessions", "Relay", "Store", "Push", "Accounts",
                "API",
                "Board",
                "Cluster", "Recorder",
                "CConsole", "CSystem", "COpenSSL",
            ], exclude: ["page"], swiftSettings: besideC),
        // Lines of the log.
        .target(name: "Logging", dependencies: ["Threads"], swiftSettings: swift),
        // Settings: where they come from, what they may be, and the limits that follow from them.
        .target(
            name: "Configuration",
            dependencies: [
                "Logging", "Wire", "Rooms", "Transport", "Sessions", "Relay", "Identity", "Store", "Push", "API",
                "Media", "Buckets", "Accounts", "Carriers", "Chains", "Recorder",
                "Board", "Cluster", "RoomsClient", "COpenSSL",
            ],
            swiftSettings: swift),
        // The server that a configuration describes: its parts, its life cycle, the command line.
        .target(
            name: "RoomsServer",
            dependencies: [
                "Logging", "Configuration", "Threads", "Wire", "Rooms", "Transport", "Sessions", "Relay", "Identity",
                "Store", "Push", "API", "Media", "Buckets", "Accounts", "Carriers", "Chains", "Board", "RoomsClient",
                "RoomsBots", "Recordings", "Recorder",
                "Operations",
                "Cluster",
                "COpenSSL", "CSpawn",
            ],
            swiftSettings: swift),

        // A client of Rooms: connections, resumption, what must not be lost, a model of the room.
        .target(
            name: "RoomsClient", dependencies: ["Threads", "Wire", "CSystem", "COpenSSL"], swiftSettings: besideC),

        // Recordings of rooms: their files, and what a server writes into them.
        .target(name: "Recordings", dependencies: ["Wire"], swiftSettings: swift),

        // What records rooms in a server.
        .target(
            name: "Recorder",
            dependencies: ["Threads", "Wire", "Rooms", "Store", "Relay", "Transport", "Recordings"],
            swiftSettings: swift),

        // Participants without a person: for demonstrations, to hold a server to its promises, and as recordings say.
        .target(
            name: "RoomsBots", dependencies: ["Threads", "RoomsClient", "Recordings", "Wire"], swiftSettings: besideC),

        // Rooms, shards and clients in one thread, driven by a seed, with the promises checked.
        .target(
            name: "RoomsSimulation",
            dependencies: [
                "Threads", "Wire", "Rooms", "Identity", "Transport", "Sessions", "Store", "Relay", "Cluster",
            ],
            swiftSettings: swift),
        .executableTarget(name: "simulate", dependencies: ["RoomsSimulation"], swiftSettings: swift),

        // Kills a process that stores, and measures it.
        .executableTarget(name: "store-trial", dependencies: ["Store", "Rooms", "Wire"], swiftSettings: besideC),

        .executableTarget(name: "rooms", dependencies: ["RoomsServer"], swiftSettings: swift),
        // What the programs have in common that process one uploaded file each.
        .target(name: "Sealing", dependencies: ["Media", "CSeal"], swiftSettings: besideC),
        .executableTarget(name: "rooms-media", dependencies: ["Sealing", "CImaging"], swiftSettings: besideC),
        .executableTarget(name: "rooms-video", dependencies: ["Sealing", "CVideo"], swiftSettings: besideC),
        .executableTarget(
            name: "conformance-server", dependencies: ["Threads", "Wire", "Transport", "Sessions"], swiftSettings: swift
        ),

        .testTarget(name: "WireTests", dependencies: ["Wire"], swiftSettings: swift),
        // What tests of several modules share.
        .target(
            name: "TestSupport", dependencies: ["Threads", "Wire", "Transport"], path: "Tests/TestSupport",
            swiftSettings: swift
        ),
        .testTarget(
            name: "RecordingsTests", dependencies: ["Recordings", "TestSupport", "Wire"], swiftSettings: swift),
        .testTarget(
            name: "RecorderTests",
            dependencies: ["Recorder", "Recordings", "Relay", "Rooms", "Store", "TestSupport", "Threads", "Wire"],
            swiftSettings: swift),
        .testTarget(name: "RoomsTests", dependencies: ["Rooms", "Wire"], swiftSettings: swift),
        .testTarget(name: "RoomsSimulationTests", dependencies: ["Rooms", "RoomsSimulation"], swiftSettings: swift),
        .testTarget(
            name: "IdentityTests", dependencies: ["Identity", "Fetch", "Wire", "Transport", "COpenSSL"],
            swiftSettings: besideC),
        .testTarget(
            name: "AccountsTests", dependencies: ["Accounts", "Identity", "Store", "Transport", "Wire"],
            swiftSettings: besideC),
        .testTarget(name: "CarriersTests", dependencies: ["Carriers", "Fetch"], swiftSettings: swift),
        .testTarget(name: "ChainsTests", dependencies: ["Chains", "Fetch"], swiftSettings: swift),
        .testTarget(name: "BucketsTests", dependencies: ["Buckets"], swiftSettings: besideC),
        .testTarget(name: "FetchTests", dependencies: ["Fetch", "Threads", "CCurl"], swiftSettings: besideC),
        .testTarget(
            name: "PushTests",
            dependencies: ["Push", "Identity", "Store", "Rooms", "Fetch", "TestSupport", "Transport", "Wire"],
            swiftSettings: besideC),
        .testTarget(
            name: "MediaTests", dependencies: ["Media", "Threads", "Wire", "CSystem", "rooms-media", "rooms-video"],
            exclude: ["Fixtures"], swiftSettings: besideC),
        .testTarget(name: "TransportTests", dependencies: ["Transport", "TestSupport"], swiftSettings: swift),
        .target(name: "CFaultyDisk", dependencies: ["CSQLite"], path: "Tests/CFaultyDisk"),
        .testTarget(
            name: "StoreTests", dependencies: ["Store", "Rooms", "Wire", "CSQLite", "CFaultyDisk", "store-trial"],
            exclude: ["Fixtures"], swiftSettings: besideC),
        .testTarget(
            name: "ClusterTests", dependencies: ["Cluster", "RoomsClient", "Threads", "Wire"], swiftSettings: besideC),
        .testTarget(name: "SessionsTests", dependencies: ["Sessions", "TestSupport"], swiftSettings: swift),
        .testTarget(name: "BoardTests", dependencies: ["Board", "Transport"], swiftSettings: besideC),
        // Counts what the tests' process allocates.
        .target(name: "CAllocations", path: "Tests/CAllocations"),
        .testTarget(
            name: "RelayTests",
            dependencies: [
                "Relay", "Rooms", "Identity", "Media", "Sessions", "Store", "Threads", "Transport", "Wire",
                "CAllocations",
                "TestSupport",
            ],
            swiftSettings: swift),
        .testTarget(
            name: "RoomsClientTests",
            dependencies: [
                "RoomsClient", "RoomsBots", "RoomsServer", "Configuration", "Logging", "Identity", "Transport",
                "COpenSSL",
                "Wire",
            ],
            swiftSettings: besideC),
        .testTarget(
            name: "APITests",
            dependencies: [
                "API", "RoomsServer", "Configuration", "Logging", "Identity", "Media", "Wire", "Store", "Relay",
                "Rooms", "Transport", "CSystem",
                "rooms-media", "rooms-video",
            ],
            swiftSettings: swift),
        .testTarget(
            name: "OperationsTests",
            dependencies: ["Operations", "Board", "Transport", "Wire"], swiftSettings: swift),
        .testTarget(name: "LoggingTests", dependencies: ["Logging", "TestSupport"], swiftSettings: swift),
        .testTarget(
            name: "ConfigurationTests",
            dependencies: ["Configuration", "Logging", "Sessions", "Transport", "COpenSSL", "TestSupport"],
            swiftSettings: swift),
        .testTarget(
            name: "RoomsServerTests",
            dependencies: [
                "RoomsBots", "RoomsServer", "Configuration", "Logging", "Identity", "Relay", "Store", "Threads",
                "Transport", "TestSupport",
            ],
            swiftSettings: swift),
    ],
    swiftLanguageModes: [.v6]
)

// SwiftPM builds a module anew when one that it names has changed, and not when one below that has. But the layout of a
// type reaches through the modules between, so each module names all that is below it.
let named = Dictionary(
    uniqueKeysWithValues: package.targets.map { target in
        (
            target.name,
            Set(target.dependencies.compactMap { if case .byNameItem(let name, _) = $0 { name } else { nil } })
        )
    })
for target in package.targets {
    let direct = named[target.name] ?? []
    var all = direct
    var met = direct
    while let name = met.popFirst() {
        for below in named[name] ?? [] where all.insert(below).inserted { met.insert(below) }
    }
    target.dependencies += all.subtracting(direct).sorted().map { .init(stringLiteral: $0) }
}

// Release builds do not check at run time that accesses to a property do not overlap (docs/decisions/007-fan-out.md).
for target in package.targets {
    target.swiftSettings?.append(
        .unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release)))
}

// What computes most in tests is optimized in debug builds, too: the simulation takes a fifth of the time and a server half.
// Assertions and the checks of overlapping accesses stay. Whole modules, since that takes the compiler the least work.
let hot: Set = ["Wire", "Rooms", "Transport", "Sessions", "Relay", "Cluster", "RoomsSimulation"]
for target in package.targets where hot.contains(target.name) {
    target.swiftSettings?.append(
        .unsafeFlags(["-O", "-wmo", "-num-threads", "2", "-assert-config", "Debug"], .when(configuration: .debug)))
}
