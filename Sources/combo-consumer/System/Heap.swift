/// What is waited for, the smallest first: a binary heap. To put in and to take out costs the logarithm of what it holds.
struct Heap<Element: Comparable> {
  private var elements: [Element] = []

  init() {}

  var isEmpty: Bool { elements.isEmpty }
  /// The smallest; of several equal ones, any.
  var first: Element? { elements.first }

  mutating func push(_ new: Element) {
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
  mutating func pop(if condition: (Element) -> Bool = { _ in true }) -> Element? {
    guard let top = elements.first, condition(top) else { return nil }
    let last = elements.removeLast()
    if elements.isEmpty { return top }
    var place = 0
    while true {
      var child = 2 * place + 1
      if child >= elements.count { break }
      if child + 1 < elements.count, elements[child + 1] < elements[child] { child += 1 }
      if elements[child] >= last { break }
      elements[place] = elements[child]
      place = child
    }
    elements[place] = last
    return top
  }

  mutating func removeAll() { elements = [] }
}
