/// A binary heap, the smallest element first. Insertion and removal cost the logarithm of its size.
// Inlinable, or other targets would call it unspecialised: a fifth of the CPU of a steady stream.
@usableFromInline
package struct Heap<Element: Comparable> {
  /// All elements, in no meaningful order.
  @usableFromInline package internal(set) var elements: [Element] = []

  @inlinable package init() {}

  /// Creates a heap in linear time.
  @inlinable package init(_ elements: [Element]) {
    self.elements = elements
    for place in stride(from: elements.count / 2 - 1, through: 0, by: -1) { sink(elements[place], from: place) }
  }

  @inlinable package var count: Int { elements.count }
  @inlinable package var isEmpty: Bool { elements.isEmpty }
  /// The smallest; of several equal ones, any.
  @inlinable package var first: Element? { elements.first }

  @inlinable package mutating func push(_ new: Element) {
    var place = elements.count
    elements.append(new)
    while place > 0 {
      let parent = (place - 1) / 2
      if elements[parent] <= new { break }
      elements[place] = elements[parent]
      place = parent
    }
    elements[place] = new
  }

  /// Removes and returns the smallest element, if `condition` holds for it.
  @inlinable package mutating func pop(if condition: (Element) -> Bool = { _ in true }) -> Element? {
    guard let top = elements.first, condition(top) else { return nil }
    let last = elements.removeLast()
    if !elements.isEmpty { sink(last, from: 0) }
    return top
  }

  /// Places an element at `place`, or as far below as it belongs.
  @inlinable mutating func sink(_ element: Element, from place: Int) {
    var place = place
    while true {
      var child = 2 * place + 1
      if child >= elements.count { break }
      if child + 1 < elements.count, elements[child + 1] < elements[child] { child += 1 }
      if elements[child] >= element { break }
      elements[place] = elements[child]
      place = child
    }
    elements[place] = element
  }

  @inlinable package mutating func removeAll() { elements = [] }
}
