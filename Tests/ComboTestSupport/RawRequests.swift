import Glibc

/// Requests that no client of the tests would send.
extension TestKafka {
  /// Removes a static member from its group, as an operator can.
  static func leave(_ group: String, instance: String, brokers: String) throws {
    // LeaveGroup, version 3.
    let response = try ask(
      header(13, version: 3) + string(group) + number(Int32(1)) + string("") + string(instance), brokers)
    // Throttle time, error.
    guard response[4] == 0 && response[5] == 0 else { throw Failure("it cannot leave: \(response)") }
  }

  /// Produces one record with a wrong checksum to partition 0. Only the broker inside the process accepts it.
  static func produceDamaged(_ value: String, to topic: String, brokers: String) throws {
    // No attributes, time or offset beyond the batch's, no key, the value, no headers; lengths are doubled (zigzag).
    let record = [0, 0, 0, 1, UInt8(2 * value.utf8.count)] + Array(value.utf8) + [0]
    let afterLength =
      number(Int32(0)) + [2] + number(Int32(0x0bad)) + number(Int16(0)) + number(Int32(0)) + number(Int64(1)) + number(Int64(1))
      + number(Int64(-1)) + number(Int16(-1)) + number(Int32(-1)) + number(Int32(1)) + [UInt8(2 * record.count)] + record
    let batch = number(Int64(0)) + number(Int32(afterLength.count)) + afterLength
    // Produce, version 3: no transaction, all replicas acknowledge, within a second.
    let response = try ask(
      header(0, version: 3) + number(Int16(-1)) + number(Int16(-1)) + number(Int32(1000)) + number(Int32(1)) + string(topic)
        + number(Int32(1)) + number(Int32(0)) + number(Int32(batch.count)) + batch, brokers)
    // One topic, its name, one partition, its number, error.
    let error = 4 + 2 + topic.utf8.count + 4 + 4
    guard response[error] == 0 && response[error + 1] == 0 else { throw Failure("it was not taken: \(response)") }
  }

  private static func number<N: FixedWidthInteger>(_ value: N) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }
  private static func string(_ text: String) -> [UInt8] { number(Int16(text.utf8.count)) + Array(text.utf8) }

  private static func header(_ request: Int16, version: Int16) -> [UInt8] {
    number(request) + number(version) + number(Int32(1)) + string("test")
  }

  /// Sends a request to the first of these brokers.
  /// - Returns: The answer after the correlation id.
  private static func ask(_ request: [UInt8], _ brokers: String) throws -> [UInt8] {
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
    let size = try read(4, from: descriptor).reduce(0) { $0 << 8 | Int($1) }
    return Array(try read(size, from: descriptor)[4...])
  }

  private static func read(_ size: Int, from descriptor: Int32) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: size)
    var count = 0
    while count < size {
      let read = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress! + count, $0.count - count) }
      guard read > 0 else { throw Failure("no answer to the request") }
      count += read
    }
    return bytes
  }
}
