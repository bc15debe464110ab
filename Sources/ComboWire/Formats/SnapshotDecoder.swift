public import ComboCore

/// Restores engines from the texts of ``SnapshotEncoder``. Use one per thread.
///
/// It validates the text and the state. ``StateDecoder`` checks the checksum of the record that contains them.
public final class SnapshotDecoder {
  private let reader = RecordReader("a snapshot", newest: Format.stateVersion)

  /// Creates a decoder.
  public init() {}

  /// Returns the engine that a state's text describes.
  /// - Parameters:
  ///   - text: The state, a JSON object.
  ///   - settings: The service's settings.
  public func engine(from text: Bytes, settings: EngineSettings) throws(FormatFault) -> Engine {
    try SnapshotReader(try reader.read(text), reader).engine(settings)
  }
}
