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
  ],
  targets: [
    .target(name: "ComboCore", swiftSettings: settings),
    .executableTarget(name: "bench-engine", dependencies: ["ComboCore"], path: "bench/engine", swiftSettings: settings),
    .testTarget(name: "ComboCoreTests", dependencies: ["ComboCore"], swiftSettings: settings),
  ],
  cxxLanguageStandard: .cxx17
)
