internal import CPages
internal import ComboCore
internal import ComboSystem
internal import ComboWire

/// A file of Pages/web, embedded when the program was built.
struct EmbeddedPage: Sendable {
  let name: String
  /// Part of the program, so nobody changes it.
  private let content: SharedPointer<UnsafeRawBufferPointer>
  /// The bytes, valid as long as the program runs.
  var bytes: UnsafeRawBufferPointer { content.pointer }
  /// The entity tag, which changes with the bytes.
  let tag: String
  /// The entity tag of the compressed page.
  var gzipTag: String { "\(tag.dropLast())-gz\"" }

  static let all: [String: EmbeddedPage] = {
    var pages: [String: EmbeddedPage] = [:]
    guard var page = cpages_first() else { return pages }
    while let name = page.pointee.name {
      let bytes = UnsafeRawBufferPointer(start: page.pointee.bytes, count: page.pointee.count)
      let tag = "\"\(String(XXH3.hash(bytes), radix: 16))\""
      pages[String(cString: name)] = EmbeddedPage(name: String(cString: name), content: SharedPointer(bytes), tag: tag)
      page += 1
    }
    return pages
  }()

  var contentType: String {
    switch name.split(separator: ".").last {
    case "html": "text/html; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "svg": "image/svg+xml"
    default: "text/plain; charset=utf-8"
    }
  }
}
