// swift-tools-version: 6.2
import PackageDescription

// For clients, which others build for other systems: nothing that is unsafe.
let clientSettings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

// The same for every other target. Flags that SwiftPM calls unsafe are given by the Makefile: a package that has them cannot be depended on.
let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),  // SE-0335
  .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
  .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
  .treatAllWarnings(as: .error),
]

// For targets that need no C: `unsafe` marks each use of borrowed memory.
let strictSettings = settings + [.strictMemorySafety()]

func library(
  _ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = [], settings: [SwiftSetting] = settings
) -> Target {
  .target(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []) -> Target {
  .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: settings)
}

func bench(_ name: String, _ dependencies: [Target.Dependency], path: String) -> Target {
  .executableTarget(name: name, dependencies: dependencies, path: path, swiftSettings: settings)
}

let package = Package(
  name: "combo-consumer",
  // Of the clients: all else is for Linux.
  platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9)],
  products: [
    .library(name: "ComboClient", targets: ["ComboClient"]),
    .library(name: "ComboClientHTTP", targets: ["ComboClientHTTP"]),
    .library(name: "ComboCore", targets: ["ComboCore"]),
    .library(name: "ComboWire", targets: ["ComboWire"]),
    .library(name: "ComboMaps", targets: ["ComboMaps"]),
    .executable(name: "combo-consumer", targets: ["combo-consumer"]),
  ],
  targets: [
    // The Kafka client.
    .systemLibrary(name: "CKafka", pkgConfig: "rdkafka", providers: [.apt(["librdkafka-dev"])]),
    // The HTTP server.
    .systemLibrary(name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
    // Compressed answers of the HTTP server.
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    // The log for use without Kafka.
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    // The WebSocket client, behind a few C functions.
    .target(name: "CWebSocket", linkerSettings: [.linkedLibrary("websockets"), .linkedLibrary("crypto")]),
    // The client of schema registries, behind one C function.
    .target(name: "CCurl", linkerSettings: [.linkedLibrary("curl")]),
    // XXH3, the hash of the journal's digest and of room look-up. Header only.
    .systemLibrary(name: "CXXHash", pkgConfig: "libxxhash", providers: [.apt(["libxxhash-dev"])]),
    // glibc's getopt_long, which Swift's module of glibc leaves out.
    .systemLibrary(name: "CGetopt"),
    // An instruction that Swift has no word for.
    .systemLibrary(name: "CPrefetch"),
    // Lets librdkafka's threads wait by the monotonic clock.
    .target(name: "CWaits"),
    // jemalloc, in the place of glibc's malloc.
    .target(name: "CMemory", linkerSettings: [.linkedLibrary("jemalloc")]),
    // The pages that the HTTP server hands out, as bytes.
    .target(name: "CPages"),
    // The built-in maps and the vocabulary of proposals, as bytes.
    .target(name: "CMaps"),
    // simdjson behind a few C functions.
    .target(name: "CSimdJSON", linkerSettings: [.linkedLibrary("simdjson")]),

    // What outsiders may depend on.
    library("ComboCore", settings: strictSettings),
    library("ComboWire", ["ComboCore", "CSimdJSON", "CXXHash"]),
    library(
      "ComboMaps", ["ComboCore", "ComboWire", "CMaps", "CSimdJSON", "CZlib"],
      exclude: ["BuiltIn", "Inference/vocabulary.json"]),

    library("ComboClient", [], settings: clientSettings + [.strictMemorySafety()]),
    library("ComboClientHTTP", ["ComboClient"], settings: clientSettings + [.strictMemorySafety()]),

    // The program's parts. docs/design.md says what each one is.
    library("ComboSystem", settings: strictSettings),
    library("ComboEdge", ["ComboSystem"], settings: strictSettings),
    library("ComboKafka", ["ComboWire", "ComboSystem", "ComboEdge", "CKafka", "CPrefetch", "CSimdJSON", "CWaits"]),
    library("ComboLog", ["ComboWire", "ComboSystem", "ComboEdge", "CSQLite"]),
    library("ComboIntake", ["ComboWire", "ComboSystem", "ComboLog", "CWebSocket"]),
    library("ComboRegistry", ["ComboWire", "ComboMaps", "ComboSystem", "ComboEdge", "CCurl"]),
    library("ComboRooms", ["ComboCore", "ComboWire", "ComboMaps", "ComboSystem", "ComboEdge", "CPrefetch"]),
    library(
      "ComboService", ["ComboCore", "ComboWire", "ComboMaps", "ComboSystem", "ComboEdge", "ComboRooms"],
      settings: strictSettings),
    library(
      "ComboHTTP",
      [
        "ComboCore", "ComboWire", "ComboMaps", "ComboSystem", "ComboEdge", "ComboRooms", "ComboService", "CMicroHTTPD", "CPages",
        "CZlib",
      ],
      exclude: ["Pages/web"]),
    library("ComboGenerate", ["ComboSystem"], settings: strictSettings),
    library("ComboReplay", ["ComboCore", "ComboWire", "ComboMaps", "ComboSystem", "CPrefetch"]),
    library(
      "ComboVerify", ["ComboCore", "ComboWire", "ComboMaps", "ComboSystem", "ComboEdge", "ComboRooms"], settings: strictSettings),
    library(
      "ComboCommands",
      [
        "ComboCore", "ComboWire", "ComboMaps", "ComboSystem", "ComboEdge", "ComboKafka", "ComboLog", "ComboIntake",
        "ComboRegistry", "ComboRooms", "ComboService", "ComboHTTP", "ComboGenerate", "ComboReplay", "ComboVerify", "ComboClient",
        "CGetopt", "CMemory", "CSimdJSON",
      ]),
    .executableTarget(name: "combo-consumer", dependencies: ["ComboCommands"], swiftSettings: strictSettings),

    bench("bench-engine", ["ComboCore", "CMemory", "CPrefetch"], path: "bench/engine"),
    bench("bench-wire", ["ComboCore", "ComboWire", "ComboMaps", "ComboGenerate", "CKafka", "CSimdJSON"], path: "bench/wire"),
    bench("bench-drain", ["CKafka"], path: "bench/drain"),

    .executableTarget(
      name: "client-suite", dependencies: ["ComboClient"], path: "Tests/Clients/swift", swiftSettings: clientSettings),

    tests("ComboClientTests", ["ComboClient", "ComboClientHTTP"]),
    tests("ComboCoreTests", ["ComboCore"]),
    tests("ComboWireTests", ["ComboCore", "ComboWire", "ComboTestSupport"]),
    tests("ComboMapsTests", ["ComboCore", "ComboWire", "ComboMaps", "ComboTestSupport"], exclude: ["Samples"]),
    // What several of them need: brokers, sockets, helpers; and the simulation, a whole cluster in memory.
    tests(
      "ComboTestSupport",
      [
        "ComboCore", "ComboWire", "ComboSystem", "ComboEdge", "ComboKafka", "ComboService", "ComboHTTP", "ComboGenerate",
        "ComboReplay", "CKafka",
      ]),
    tests(
      "ComboSimulation",
      [
        "ComboCore", "ComboWire", "ComboMaps", "ComboSystem", "ComboEdge", "ComboRooms", "ComboService", "ComboVerify",
        "ComboTestSupport",
      ]),
    tests("ComboSystemTests", ["ComboSystem", "ComboTestSupport"]),
    tests(
      "ComboKafkaTests",
      ["ComboSystem", "ComboEdge", "ComboKafka", "ComboWire", "CKafka", "CWaits", "ComboTestSupport"]),
    tests("ComboLogTests", ["ComboEdge", "ComboLog"]),
    tests("ComboIntakeTests", ["ComboSystem", "ComboLog", "ComboIntake"]),
    tests("ComboRegistryTests", ["ComboEdge", "ComboRegistry", "ComboTestSupport"]),
    tests("ComboRoomsTests", ["ComboCore", "ComboWire", "ComboSystem", "ComboEdge", "ComboRooms"]),
    tests(
      "ComboServiceTests",
      [
        "ComboCore", "ComboWire", "ComboMaps", "ComboSystem", "ComboEdge", "ComboRooms", "ComboService", "ComboGenerate",
        "ComboTestSupport",
        "ComboSimulation",
      ]),
    tests(
      "ComboHTTPTests",
      [
        "ComboCore", "ComboWire", "ComboSystem", "ComboEdge", "ComboKafka", "ComboRooms", "ComboService", "ComboHTTP",
        "ComboTestSupport", "CPages",
      ]),
    tests("ComboReplayTests", ["ComboCore", "ComboWire", "ComboSystem", "ComboReplay", "ComboGenerate", "ComboTestSupport"]),
    tests("ComboGenerateTests", ["ComboWire", "ComboSystem", "ComboGenerate", "ComboTestSupport"]),
    tests(
      "ComboVerifyTests",
      [
        "ComboCore", "ComboWire", "ComboSystem", "ComboEdge", "ComboRooms", "ComboService", "ComboVerify",
        "ComboTestSupport", "ComboSimulation",
      ]),
    // The rules of the sources that need no reader, and the reader of the index that a build writes.
    .systemLibrary(name: "CIndexStore", path: "Tests/CIndexStore"),
    tests("TidyTests", ["CIndexStore"]),
    // The program as a whole, on real brokers too.
    tests(
      "ComboCommandsTests",
      [
        "ComboCore", "ComboWire", "ComboMaps", "ComboSystem", "ComboEdge", "ComboKafka", "ComboRooms", "ComboService",
        "ComboHTTP",
        "ComboGenerate", "ComboReplay", "ComboVerify", "ComboLog", "ComboIntake", "ComboCommands", "CKafka", "combo-consumer",
        "ComboTestSupport",
      ], exclude: ["Samples", "Cases"]),
  ],
  cxxLanguageStandard: .cxx17
)
