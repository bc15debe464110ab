// swift-tools-version: 6.2
import PackageDescription

// Targets for libFuzzer. A package of its own, since all of it, and what it tests, is built with the fuzzer's instrumentation:
// see `run` beside this file.
let settings: [SwiftSetting] = [.unsafeFlags(["-parse-as-library", "-sanitize=fuzzer"])]
let linker: [LinkerSetting] = [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])]
let wire: [Target.Dependency] = [
  "Fuzzing", .product(name: "ComboCore", package: "combo-consumer"), .product(name: "ComboWire", package: "combo-consumer"),
]

let package = Package(
  name: "fuzz",
  dependencies: [.package(name: "combo-consumer", path: "..")],
  targets: [
    .target(name: "Fuzzing", dependencies: [.product(name: "ComboWire", package: "combo-consumer")]),
    .executableTarget(name: "FuzzEvents", dependencies: wire, swiftSettings: settings, linkerSettings: linker),
    .executableTarget(name: "FuzzSnapshots", dependencies: wire, swiftSettings: settings, linkerSettings: linker),
    .executableTarget(name: "FuzzMaps", dependencies: wire + [.product(name: "ComboMaps", package: "combo-consumer")], swiftSettings: settings, linkerSettings: linker),
    .executableTarget(
      name: "FuzzRecords", dependencies: wire + [.product(name: "ComboMaps", package: "combo-consumer")], swiftSettings: settings,
      linkerSettings: linker),
    .executableTarget(name: "FuzzJournal", dependencies: wire, swiftSettings: settings, linkerSettings: linker),
  ],
  cxxLanguageStandard: .cxx17
)
