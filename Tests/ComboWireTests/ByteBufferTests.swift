import ComboCore
import ComboWire
import Testing

private func text(_ body: (ByteBuffer) -> Void) -> String {
  let buffer = ByteBuffer(capacity: 1)
  body(buffer)
  return String(buffer.bytes)
}

@Suite("Byte buffers")
struct ByteBufferTests {
  @Test("integers are written as Swift writes them")
  func integers() {
    var values: [Int64] = [0, 1, 9, 10, 11, 99, 100, 101, 999, 1000, .max, .min, .max - 1, .min + 1]
    var power: Int64 = 1
    for _ in 0..<18 {
      power *= 10
      values += [power - 1, power, power + 1, -power, 1 - power]
    }
    for seed in 0..<200 {
      var random = SplitMix64(seed: seed)
      values.append(Int64(bitPattern: random.next()) >> Int64.random(in: 0..<64, using: &random))
    }
    for value in values { #expect(text { $0.append(value) } == String(value)) }
  }

  @Test("a double reads back as the same double, and whole numbers look whole")
  func doubles() throws {
    #expect(text { $0.append(0.0) } == "0")
    #expect(text { $0.append(-0.0) } == "-0")
    #expect(text { $0.append(10.0) } == "10")
    #expect(text { $0.append(-3.0) } == "-3")
    #expect(text { $0.append(0.1) } == "0.1")
    #expect(text { $0.append(1e21) } == "1e+21")
    var random = SplitMix64(seed: 1)
    for _ in 0..<2000 {
      let value = Double(bitPattern: random.next())
      guard value.isFinite else { continue }
      let written = text { $0.append(value) }
      #expect(Double(written)?.bitPattern == value.bitPattern, "\(value) became \(written)")
      #expect(StrictJSON.compactObject(Array(#"{"x":\#(written)}"#.utf8)) != nil, "\(written) is no JSON")
    }
  }

  @Test("a JSON string has the original text, whatever it contains")
  func strings() throws {
    let odd = (0..<0x80).map { String(Unicode.Scalar(UInt8($0))) }.joined() + "é小🌹\u{2028}"
    let written = text { $0.append(jsonString: odd) }
    #expect(written.hasPrefix(#""\u0000\u0001"#) && written.contains(#"\b\t\n\u000b\f\r"#) && written.contains("\\u001f !\\\"#"))
    // The string is also a valid id, which may have 256 bytes.
    #expect(try decode(#"{"id":\#(written),"sender":{"id":"u"},"gift":{"id":"g"}}"#).id == odd)
  }

  @Test("hexadecimal digits are 16 and lower-case")
  func hex() {
    #expect(text { $0.append(hex: 0) } == "0000000000000000")
    #expect(text { $0.append(hex: 0x0123_4567_89AB_CDEF) } == "0123456789abcdef")
    #expect(text { $0.append(hex: .max) } == "ffffffffffffffff")
  }

  @Test("written bytes stay while the buffer grows, and are removed when it is emptied")
  func growth() {
    let buffer = ByteBuffer(capacity: 1)
    var expected = ""
    for index in 0..<1000 {
      buffer.append(index)
      buffer.append(",")
      expected += "\(index),"
    }
    #expect(String(buffer.bytes) == expected)
    #expect(String(buffer.bytes(0..<4)) == "0,1,")
    buffer.truncate(to: 4)
    buffer.append("end" as String)
    #expect(String(buffer.bytes) == "0,1,end")
    buffer.removeAll()
    #expect(buffer.count == 0 && buffer.bytes.isEmpty)
  }

  @Test("XXH3 is the one that others compute")
  func xxh3() {
    func hash(_ text: String, _ seed: UInt64) -> UInt64 {
      Array(text.utf8).withUnsafeBytes { XXH3.hash($0, seed: seed) }
    }
    // These are the reference implementation's own values for no input.
    #expect(hash("", 0) == 0x2D06_8005_38D3_94C2)
    #expect(XXH3.hash(Bytes(start: nil, count: 0)) == 0x2D06_8005_38D3_94C2)
    var running = RunningHash()
    #expect(running.value == 0x636F_6D62_6F2D_6831)
    Array("ab".utf8).withUnsafeBytes { running.add($0) }
    #expect(running.value == hash("ab", RunningHash.start))
    Array("c".utf8).withUnsafeBytes { running.add($0) }
    #expect(running.value == hash("c", hash("ab", RunningHash.start)))
  }
}
