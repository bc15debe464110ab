package import ComboEdge
internal import ComboWire

/// Distinguishes the records of one input in an output that several inputs share.
package struct OutputShare: Sendable {
  private let input: [UInt8]
  /// Whether records that name no input are of this one: its service wrote such records, at least for a time.
  var hasUnnamed = true

  package init(of input: String) { self.input = Array(input.utf8) }

  package func has(_ record: InputRecord) -> Bool {
    var isOwn = hasUnnamed
    unsafe record.withLastHeader(Derivation.inputHeader) { isOwn = unsafe $0.elementsEqual(input) }
    return isOwn
  }
}
