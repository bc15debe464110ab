// swift-tools-version: 6.1
import PackageDescription

// Another package depends on this repository; here that is the folder two levels up.
let package = Package(
  name: "terminal-client",
  platforms: [.macOS(.v13)],
  dependencies: [.package(name: "combo-consumer", path: "../..")],
  targets: [
    .executableTarget(
      name: "terminal-client",
      dependencies: [
        .product(name: "ComboClient", package: "combo-consumer"), .product(name: "ComboClientHTTP", package: "combo-consumer"),
      ])
  ]
)
