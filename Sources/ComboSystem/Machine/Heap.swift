/// A binary heap, the smallest element first. Adding and removing cost the logarithm of its size.
package struct Heap<Element: Comparable> {
  /// All that it holds, in no order that means anything.
  package private(set) var elements: [Element] = []

  package init() {}

  /// Costs no more than a look at each.
  package init(_ elements: [Element]) {
    self.elements = elements
    for place in stride(from: elements.count / 2 - 1, through: 0, by: -1) { sink(elements[place], from: place) }
  }

  package var count: Int { elements.count }
  package var isEmpty: Bool { elements.isEmpty }
  /// The smallest; of several equal ones, any.
  package var first: Element? { elements.first }

  package mutating func push(_ new: Element) {
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

  /// Takes out the smallest, if `condition` holds for it.
  package mutating func pop(if condition: (Element) -> Bool = { _ in true }) -> Element? {
    guard let top = elements.first, condition(top) else { return nil }
    let last = elements.removeLast()
    if !elements.isEmpty { sink(last, from: 0) }
    return top
  }

  /// Puts an element in at `place`, or as far below as it belongs.
  private mutating func sink(_ element: Element, from place: Int) {
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

  package mutating func removeAll() { elements = [] }
}
