/// A pointer that any thread may use: to what a C library guards by itself, or to memory that nobody changes.
// Sendable: each use shows which of the two it is.
package struct SharedPointer<Pointer>: @unchecked Sendable {
  package let pointer: Pointer

  package init(_ pointer: Pointer) { self.pointer = pointer }
}
