/// The identity of this process.
package struct ServiceIdentity: Equatable, Sendable {
  package var group = ""
  package var input = ""
  package var instance = ""
  /// The version of the loaded librdkafka.
  package var librdkafka = ""

  package init(group: String = "", input: String = "", instance: String = "", librdkafka: String = "") {
    self.group = group
    self.input = input
    self.instance = instance
    self.librdkafka = librdkafka
  }
}
