internal import ComboWire

/// A schema as plain values, which the decoders of all threads read in place.
final class AvroPlan {
  struct Node {
    let kind: AvroSchema.Kind
    let isUUID: Bool
    /// The number of decimal places of a `decimal`, or -1 for other types.
    let scale: Int
    /// The number of bytes of a `fixed`.
    let size: Int
    /// Its range of `parts`: a record's fields, a union's branches, an enum's symbols, or the values of an array or a map.
    let first: Int
    let count: Int
  }

  struct Part {
    /// The index of its type, or -1 for a symbol.
    let type: Int
    /// The text before its value, or instead of it, in `bytes`.
    let text: Int
    let textCount: Int
  }

  /// The addresses of the lists, which are valid as long as their plan.
  struct Lists {
    let nodes: UnsafePointer<Node>
    let parts: UnsafePointer<Part>
    let texts: UnsafeRawPointer
  }

  let schema: AvroSchema
  let lists: Lists
  private let nodes = FixedList<Node>()
  private let parts = FixedList<Part>()
  private let bytes = FixedList<UInt8>()

  init(_ schema: AvroSchema) {
    self.schema = schema
    for node in schema.nodes {
      let count = max(node.types.count, node.texts.count)
      nodes.append(
        Node(
          kind: node.kind, isUUID: node.isUUID, scale: node.scale ?? -1, size: node.size, first: parts.count, count: count))
      for part in 0..<count {
        let text = node.texts.isEmpty ? [] : node.texts[part]
        parts.append(Part(type: node.types.isEmpty ? -1 : node.types[part], text: bytes.count, textCount: text.count))
        bytes.append(contentsOf: text)
      }
    }
    // Texts are copied in blocks of 16 bytes.
    bytes.append(contentsOf: repeatElement(0, count: 16))
    lists = Lists(
      nodes: UnsafePointer(nodes.all.baseAddress!), parts: UnsafePointer(parts.all.baseAddress!),
      texts: UnsafeRawPointer(bytes.all.baseAddress!))
  }
}
