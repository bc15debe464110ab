package enum Version {
  /// The only place of the version number: `tools/version` reads this line for packages and archives.
  package static let number = "0.2.0"
}
