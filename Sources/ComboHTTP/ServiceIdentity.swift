/// The identity of a service: its group, its input and the instance that runs it.
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
