import CKafka
import Foundation

@testable import ComboKafka
@testable import ComboTestSupport

/// A right at Kafka, as deploy/kafka/acls.sh lists it.
struct AccessRight: CustomStringConvertible {
  var principal: String
  var operation: String
  /// `--topic`, `--group`, `--transactional-id`.
  var kind: String
  var name: String
  var isPrefix = false

  var description: String { "\(operation) on \(kind.dropFirst(2)) \(name)\(isPrefix ? "*" : "")" }

  /// Returns the rights that the script would grant.
  static func listed(_ arguments: [String]) throws -> [AccessRight] {
    let script =
      URL(fileURLWithPath: #filePath).pathComponents.dropLast(5).joined(separator: "/").dropFirst() + "/deploy/kafka/acls.sh"
    let output = try TestKafka.shell(
      #"script=$1; shift; exec "$script" --dry-run "$@""#, [String(script)] + arguments)
    return try output.split(separator: "\n").flatMap { line in
      var words = line.split(separator: " ").dropFirst().map(String.init)[...]
      var right = AccessRight(principal: "", operation: "", kind: "", name: "", isPrefix: false)
      var operations: [String] = []
      while let word = words.popFirst() {
        switch word {
        case "--add": continue
        case "--bootstrap-server": _ = words.popFirst()
        case "--allow-principal": right.principal = words.popFirst() ?? ""
        case "--operation": operations.append(words.popFirst() ?? "")
        case "--resource-pattern-type": right.isPrefix = words.popFirst() == "prefixed"
        case "--topic", "--group", "--transactional-id": (right.kind, right.name) = (word, words.popFirst() ?? "")
        default: throw TestKafka.Failure("acls.sh says \(word)")
        }
      }
      return operations.map { operation in
        var one = right
        one.operation = operation
        return one
      }
    }
  }

  private var number: rd_kafka_AclOperation_t {
    get throws {
      switch operation {
      case "All": RD_KAFKA_ACL_OPERATION_ALL
      case "Describe": RD_KAFKA_ACL_OPERATION_DESCRIBE
      case "Read": RD_KAFKA_ACL_OPERATION_READ
      case "Write": RD_KAFKA_ACL_OPERATION_WRITE
      case "Create": RD_KAFKA_ACL_OPERATION_CREATE
      case "Alter": RD_KAFKA_ACL_OPERATION_ALTER
      case "AlterConfigs": RD_KAFKA_ACL_OPERATION_ALTER_CONFIGS
      case "DescribeConfigs": RD_KAFKA_ACL_OPERATION_DESCRIBE_CONFIGS
      default: throw TestKafka.Failure("no operation \(operation)")
      }
    }
  }

  /// Grants rights, by a client that may do so.
  /// - Parameter properties: The properties of Kafka's own tool, which grants rights on transactional ids, as librdkafka 2.0
  ///   cannot. Each takes a second or two.
  static func give(_ all: [AccessRight], _ control: ControlClient, tool properties: String) throws {
    for right in all where right.kind == "--transactional-id" {
      try TestKafka.tool([
        "org.apache.kafka.tools.AclCommand", "--bootstrap-server", control.client.brokers, "--command-config", properties,
        "--add", "--force", "--allow-principal", right.principal, "--operation", right.operation, right.kind, right.name,
        "--resource-pattern-type", right.isPrefix ? "prefixed" : "literal",
      ])
    }
    let rights = all.filter { $0.kind != "--transactional-id" }
    if rights.isEmpty { return }
    var text = [CChar](repeating: 0, count: 512)
    var bindings: [OpaquePointer?] = []
    defer { for binding in bindings { rd_kafka_AclBinding_destroy(binding) } }
    for right in rights {
      let resource = right.kind == "--topic" ? RD_KAFKA_RESOURCE_TOPIC : RD_KAFKA_RESOURCE_GROUP
      bindings.append(
        rd_kafka_AclBinding_new(
          resource, right.name, right.isPrefix ? RD_KAFKA_RESOURCE_PATTERN_PREFIXED : RD_KAFKA_RESOURCE_PATTERN_LITERAL,
          right.principal, "*", try right.number, RD_KAFKA_ACL_PERMISSION_TYPE_ALLOW, &text, text.count))
    }
    let answer = ControlClient.admin(control.client, RD_KAFKA_ADMIN_OP_CREATEACLS, 30_000) { options, queue in
      bindings.withUnsafeMutableBufferPointer {
        rd_kafka_CreateAcls(control.client.handle, $0.baseAddress, $0.count, options, queue)
      }
    } read: { event -> ControlClient.Attempt<Int> in
      var count = 0
      let results = rd_kafka_CreateAcls_result_acls(rd_kafka_event_CreateAcls_result(event), &count)
      return .done((0..<count).count { rd_kafka_acl_result_error(results?[$0]) == nil })
    }
    guard case .done(rights.count) = answer else { throw TestKafka.Failure("cannot give \(rights): \(answer)") }
  }
}
