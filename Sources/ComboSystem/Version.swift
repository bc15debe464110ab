/// The version of this program.
package enum Version {
  /// Here and nowhere else: `tools/version` reads this line for packages and archives.
  package static let number = "0.1.0"
}
