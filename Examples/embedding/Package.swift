// swift-tools-version: 6.2
import PackageDescription

// A program with the combo engine, without Kafka.
let package = Package(
  name: "embedding",
  // Elsewhere: .package(url: "https://…/combo-consumer.git", from: "0.1.0")
  dependencies: [.package(name: "combo-consumer", path: "../..")],
  targets: [
    .executableTarget(name: "embedding", dependencies: [.product(name: "ComboCore", package: "combo-consumer")])
  ]
)
