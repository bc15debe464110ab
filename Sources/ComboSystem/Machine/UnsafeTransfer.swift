/// Passes a value to another thread without a check by the compiler.
// Sendable: each use shows that no two threads use the value at once, or that it is only read.
package struct UnsafeTransfer<Value>: @unchecked Sendable {
  package var value: Value

  package init(_ value: Value) { self.value = value }
}
