public import ComboCore

/// Restores engines from what ``SnapshotEncoder`` wrote. One a thread.
///
/// The text is checked for its form, and the state for its sense. Whether the bytes are those that were written is shown by
/// the checksum of the record that they came in: ``StateDecoder`` looks at that.
public final class SnapshotDecoder {
  private let reader = RecordReader("a snapshot", newest: Format.stateVersion)

  /// A decoder.
  public init() {}

  /// The engine that a state's text describes.
  /// - Parameters:
  ///   - text: the state, a JSON object.
  ///   - settings: the service's.
  public func engine(from text: Bytes, settings: EngineSettings) throws(FormatFault) -> Engine {
    try SnapshotReader(try reader.read(text), reader).engine(settings)
  }
}
