/// By what this process is told from others.
struct ServiceIdentity: Equatable, Sendable {
  var group = ""
  var instance = ""
}
