internal import CKafka
package import ComboEdge

/// librdkafka's configuration of a client to be created. It is always destroyed exactly once.
package struct ClientConfiguration: ~Copyable {
  package let kind: ClientKind
  private let pointer: OpaquePointer

  package init(kind: ClientKind) {
    self.kind = kind
    pointer = rd_kafka_conf_new()
  }

  deinit { rd_kafka_conf_destroy(pointer) }

  /// - Throws: `badProperty` with the property's name.
  package func set(_ key: String, _ value: String) throws(EdgeError) {
    var reason = [CChar](repeating: 0, count: 512)
    switch rd_kafka_conf_set(pointer, key, value, &reason, reason.count) {
    case RD_KAFKA_CONF_OK:
      return
    case RD_KAFKA_CONF_UNKNOWN:
      throw EdgeError(
        .badProperty,
        "There is no Kafka property \"\(key)\" in librdkafka \(LibrdkafkaProperties.versionText); "
          + (key.lowercased().contains("jaas")
            ? "that is Java's. Use sasl.mechanism, sasl.username and sasl.password."
            : "see its CONFIGURATION.md for all of them."))
    default:
      // Normally only words and numbers are refused here; a value that may be a password is hidden nevertheless.
      let property = KafkaProperty(key: key, value: value)
      let shown = property.isSecret ? "has a value that is not allowed" : "cannot be \"\(value)\""
      throw EdgeError(
        .badProperty, "The Kafka property \(key) \(shown): \(Self.text(reason).masking(property.secrets)).")
    }
  }

  /// Calls `body` with the pointer, to set callbacks. Their context must outlive the client.
  func withPointer(_ body: (OpaquePointer) -> Void) { body(pointer) }

  /// Creates the client, which then owns the configuration.
  consuming func makeClient() throws(EdgeError) -> OpaquePointer {
    var reason = [CChar](repeating: 0, count: 512)
    let type = kind == .producer ? RD_KAFKA_PRODUCER : RD_KAFKA_CONSUMER
    guard let client = rd_kafka_new(type, pointer, &reason, reason.count) else {
      let error = EdgeError(
        .badProperty,
        "The Kafka \(kind.word) cannot be created: \(Self.text(reason)). Correct the properties given with --kafka.")
      // librdkafka owns the configuration only if it succeeds.
      _ = consume self
      throw error
    }
    discard self
    return client
  }

  private static func text(_ characters: [CChar]) -> String {
    let text = ControlClient.text(characters)
    return text.last == "." ? String(text.dropLast()) : text
  }
}
