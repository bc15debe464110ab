public import ComboCore
internal import ComboWire
internal import Glibc

/// Says what does not hold, and ends the process as a crash: the fuzzer keeps the input.
public func fail(_ sentence: String) -> Never {
  _ = (sentence + "\n").withCString { write(2, $0, strlen($0)) }
  abort()
}

/// A record with the checksum that its bytes need, so that inputs come past the seal.
public func sealed(_ body: Bytes, seed: UInt64) -> [UInt8] {
  let digits = String(XXH3.hash(body, seed: seed), radix: 16)
  return Array(body) + Array(#","sum":""#.utf8) + Array(repeating: 0x30, count: 16 - digits.count) + Array(digits.utf8)
    + Array(#""}"#.utf8)
}

public typealias Arguments = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
public typealias Target = @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt

/// libFuzzer's own main.
@_silgen_name("LLVMFuzzerRunDriver")
private func run(_ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutablePointer<Arguments>, _ target: Target) -> CInt

/// Runs the fuzzer on `target`.
public func drive(_ count: CInt, _ arguments: Arguments, _ target: Target) -> CInt {
  var (count, arguments) = (count, arguments)
  return run(&count, &arguments, target)
}
