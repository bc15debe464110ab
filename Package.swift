// swift-tools-version: 6.1
import PackageDescription

// The same for every target.
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
  products: [
    .library(name: "ComboCore", targets: ["ComboCore"]),
    .library(name: "ComboWire", targets: ["ComboWire"]),
  ],
  targets: [
    // XXH3, the hash of the journal's digest and of room look-up. Header only.
    .systemLibrary(name: "CXXHash", pkgConfig: "libxxhash", providers: [.apt(["libxxhash-dev"])]),
    // simdjson behind a few C functions.
    .target(name: "CSimdJSON", cxxSettings: [.unsafeFlags(["-O3"])], linkerSettings: [.linkedLibrary("simdjson")]),
    .target(name: "ComboCore", swiftSettings: settings),
    .target(name: "ComboWire", dependencies: ["ComboCore", "CSimdJSON", "CXXHash"], swiftSettings: settings),
    .executableTarget(name: "bench-engine", dependencies: ["ComboCore"], path: "bench/engine", swiftSettings: settings),
    .executableTarget(
      name: "bench-wire", dependencies: ["ComboCore", "ComboWire"], path: "bench/wire", swiftSettings: settings),
    .testTarget(name: "ComboCoreTests", dependencies: ["ComboCore"], swiftSettings: settings),
    .testTarget(name: "ComboWireTests", dependencies: ["ComboCore", "ComboWire"], swiftSettings: settings),
  ],
  cxxLanguageStandard: .cxx17
)
