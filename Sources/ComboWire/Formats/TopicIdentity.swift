/// The group, input and output to which a journal and a state belong. They are of no use to others.
public struct TopicIdentity: Equatable, Sendable {
  /// The consumer group.
  public let group: String
  /// The topic with the events.
  public let input: String
  /// The topic with the instructions.
  public let output: String
  /// The XXH3 hash of the three names' JSON array. Records without the names have this instead.
  public let hash: UInt64

  /// Creates the identity of these names.
  public init(group: String, input: String, output: String) {
    self.group = group
    self.input = input
    self.output = output
    let buffer = ByteBuffer(capacity: 256)
    Self.write(group, input, output, to: buffer)
    hash = XXH3.hash(buffer.bytes)
  }

  /// Throws if a record belongs to another group.
  /// - Parameters:
  ///   - hash: The hash in the record.
  ///   - what: The kind of record, as named in the error.
  ///   - owner: The record's owner, or nil if the record has only the hash of the names.
  public func check(_ hash: UInt64, _ what: StaticString, of owner: TopicIdentity? = nil) throws(FormatFault) {
    if hash == self.hash { return }
    if let owner, owner.hash == hash { throw FormatFault(code: .foreign, description: foreign(what, of: owner)) }
    throw FormatFault(
      code: .foreign,
      description: "\(what) belongs to another group, input or output than \(group), \(input), \(output) (its hash is "
        + "\(String(hash, radix: 16)), not \(String(self.hash, radix: 16))). \(Self.advice)")
  }

  /// Returns the sentence of the fault that `what` belongs to `owner`.
  package func foreign(_ what: some CustomStringConvertible, of owner: TopicIdentity) -> String {
    let names = [("group", owner.group, group), ("input", owner.input, input), ("output", owner.output, output)]
    let differences = names.filter { $0.1 != $0.2 }.map { "the \($0) \"\($1)\", not to \"\($2)\"" }
    return "\(what) belongs to \(differences.joined(separator: ", and to ")). \(Self.advice)"
  }

  private static let advice = "Another output needs another --group"

  func write(to buffer: ByteBuffer) { Self.write(group, input, output, to: buffer) }

  private static func write(_ group: String, _ input: String, _ output: String, to buffer: ByteBuffer) {
    buffer.append("[", jsonString: group)
    buffer.append(",", jsonString: input)
    buffer.append(",", jsonString: output)
    buffer.append("]")
  }
}
