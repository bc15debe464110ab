/// The reason why the log refused a call, as a sentence for the operator.
package struct LogFault: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kind of a fault, for decisions by programs.
  package enum Code: String, Sendable, CaseIterable {
    /// Another process uses the file.
    case inUse
    /// The file or its folder may not be written.
    case readOnly
    /// The file is damaged.
    case damaged
    /// The file was deleted or replaced while it was in use.
    case gone
    /// The file is not a log, or a log of another version.
    case foreign
    /// The file is on a network file system.
    case networkDisk
    /// No more records fit: the disk is full, or the log has reached its size limit.
    case full
    /// Records that are accepted only together would not fit even into an empty log.
    case tooLarge
    /// Another owner has taken over the group.
    case fenced
    /// The offset is not in the partition.
    case outOfRange
    /// The topic or partition does not exist.
    case unknown
    /// The disk or SQLite reports an error.
    case failed
  }

  package let code: Code
  /// The fault, its place, and the remedy.
  package let message: String

  package var description: String { message }

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}
