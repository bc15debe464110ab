import Glibc

extension TestKafka {
  /// Has a static member leave its group, as an operator can.
  static func leave(_ group: String, instance: String, brokers: String) throws {
    func string(_ text: String) -> [UInt8] { number(Int16(text.utf8.count)) + Array(text.utf8) }
    func number<N: FixedWidthInteger>(_ value: N) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
    // LeaveGroup, version 3.
    let request =
      number(Int16(13)) + number(Int16(3)) + number(Int32(1)) + string("test") + string(group) + number(Int32(1)) + string("")
      + string(instance)
    let parts = brokers.split(separator: ",")[0].split(separator: ":")
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(String(parts[0]), String(parts[1]), &hints, &found) == 0, let found else {
      throw Failure("no address for \(brokers)")
    }
    defer { freeaddrinfo(found) }
    let descriptor = socket(found.pointee.ai_family, found.pointee.ai_socktype, 0)
    defer { close(descriptor) }
    guard connect(descriptor, found.pointee.ai_addr, found.pointee.ai_addrlen) == 0 else {
      throw Failure("no connection to \(brokers)")
    }
    let bytes = number(Int32(request.count)) + request
    guard write(descriptor, bytes, bytes.count) == bytes.count else { throw Failure("the request was not taken") }
    // Size, correlation id, throttle time, error.
    var response = [UInt8](repeating: 0, count: 14)
    var count = 0
    while count < response.count {
      let read = response.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress! + count, $0.count - count) }
      guard read > 0 else { throw Failure("no answer to the request") }
      count += read
    }
    guard response[12] == 0 && response[13] == 0 else { throw Failure("it cannot leave: \(response)") }
  }
}
