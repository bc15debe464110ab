// swift-tools-version: 6.1
import PackageDescription

// For clients, which others build for other systems: nothing that is unsafe.
let clientSettings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

// The same for every other target.
let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),  // SE-0335
  .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
  .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
  .unsafeFlags(["-warnings-as-errors"]),
  // Rooms are reached through one owner at a time (their queue); checking that again at run time costs 3 to 5 ns an access.
  .unsafeFlags(["-enforce-exclusivity=unchecked"], .when(configuration: .release)),
]

let package = Package(
  name: "combo-consumer",
  // Of the clients: all else is for Linux.
  platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9)],
  products: [
    .library(name: "ComboClient", targets: ["ComboClient", "ComboClientHTTP"]),
    .library(name: "ComboCore", targets: ["ComboCore"]),
    .library(name: "ComboWire", targets: ["ComboWire"]),
    .executable(name: "combo-consumer", targets: ["combo-consumer"]),
  ],
  targets: [
    // The Kafka client.
    .systemLibrary(name: "CKafka", pkgConfig: "rdkafka", providers: [.apt(["librdkafka-dev"])]),
    // The HTTP server.
    .systemLibrary(name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
    // The log of those who have no Kafka.
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
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
    // The pages that the HTTP server hands out, as bytes; made by tools/embed-pages.
    .target(name: "CPages"),
    // simdjson behind a few C functions.
    .target(name: "CSimdJSON", cxxSettings: [.unsafeFlags(["-O3"])], linkerSettings: [.linkedLibrary("simdjson")]),
    .target(name: "ComboCore", swiftSettings: settings),
    .target(name: "ComboWire", dependencies: ["ComboCore", "CSimdJSON", "CXXHash"], swiftSettings: settings),
    .target(name: "ComboClient", swiftSettings: clientSettings),
    .target(name: "ComboClientHTTP", dependencies: ["ComboClient"], swiftSettings: clientSettings),
    .target(name: "ComboLog", dependencies: ["CSQLite"], swiftSettings: settings),
    .executableTarget(
      name: "combo-consumer",
      dependencies: [
        "ComboCore", "ComboWire", "CKafka", "CMicroHTTPD", "CPages", "CSimdJSON", "CXXHash", "CPrefetch", "CGetopt", "CMemory",
        "CWaits",
      ], exclude: ["Pages/web"], swiftSettings: settings),
    .executableTarget(
      name: "bench-engine", dependencies: ["ComboCore", "CMemory", "CPrefetch"], path: "bench/engine", swiftSettings: settings),
    .executableTarget(
      name: "bench-wire", dependencies: ["ComboCore", "ComboWire"], path: "bench/wire", swiftSettings: settings),
    .executableTarget(name: "bench-drain", dependencies: ["CKafka"], path: "bench/drain", swiftSettings: settings),
    .executableTarget(
      name: "client-suite", dependencies: ["ComboClient"], path: "Tests/Clients/swift", swiftSettings: clientSettings),
    .testTarget(
      name: "ComboClientTests", dependencies: ["ComboClient", "ComboClientHTTP"], swiftSettings: settings),
    .testTarget(name: "ComboCoreTests", dependencies: ["ComboCore"], swiftSettings: settings),
    .testTarget(name: "ComboWireTests", dependencies: ["ComboCore", "ComboWire"], swiftSettings: settings),
    .testTarget(name: "ComboLogTests", dependencies: ["ComboLog"], swiftSettings: settings),
    .testTarget(
      name: "ComboConsumerTests", dependencies: ["combo-consumer", "ComboCore", "ComboWire", "CKafka", "CPages", "CWaits"],
      exclude: ["Samples"], swiftSettings: settings),
  ],
  cxxLanguageStandard: .cxx17
)
