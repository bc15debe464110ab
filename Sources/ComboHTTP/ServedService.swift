package import ComboEdge
package import ComboService

/// A service of this process, as the server shows it. There is one for each input.
package struct ServedService: Sendable {
  package let observatory: Observatory
  package let identity: ServiceIdentity
  /// The figures of its Kafka clients.
  let statistics: @Sendable () -> [ClientFigures]

  package init(
    _ observatory: Observatory, _ identity: ServiceIdentity, _ statistics: (@Sendable () -> [ClientFigures])? = nil
  ) {
    self.observatory = observatory
    self.identity = identity
    self.statistics = statistics ?? { [] }
  }

  /// Returns the reasons of all services that have one, each on a line with its input if there are several, or nil if none has.
  static func reasons(of services: [ServedService], _ reason: (Observatory) -> String?) -> String? {
    let reasons = services.compactMap { service in reason(service.observatory).map { (service.identity.input, $0) } }
    return services.count == 1 ? reasons.first?.1 : reasons.isEmpty ? nil : reasons.map { "\($0): \($1)" }.joined(separator: "\n")
  }
}
