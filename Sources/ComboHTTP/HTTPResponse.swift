package import ComboWire

/// A complete response.
package struct HTTPResponse: Sendable {
  var status: UInt32
  var contentType: String
  package var body: [UInt8]
  var headers: [(String, String)] = []
  /// Whether the page accepts inline styles: a browser source adds its custom CSS as a `<style>`. Only for the overlay, which has
  /// only banners.
  var allowsInlineStyles = false
  /// The compressed body, if it was compressed before.
  var gzipped: [UInt8]?
  /// Whether it is long enough to be compressed. All responses are text.
  var isWorthCompressing: Bool { body.count >= 1024 }

  package static let json = "application/json; charset=utf-8"
  package static let text = "text/plain; charset=utf-8"

  /// The headers of most responses: they may not be framed, their type may not be guessed, and they may not load from elsewhere.
  static let standardHeaders = fixedHeaders(allowsInlineStyles: false)

  static func fixedHeaders(allowsInlineStyles: Bool) -> [(String, String)] {
    let policy =
      "default-src 'none'; script-src 'self'; style-src 'self'\(allowsInlineStyles ? " 'unsafe-inline'" : "");"
      + " img-src 'self' data: https:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    return [
      ("Content-Security-Policy", policy), ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
      ("X-Frame-Options", "DENY"), ("Cross-Origin-Resource-Policy", "same-origin"),
      ("Cross-Origin-Opener-Policy", "same-origin"),
    ]
  }

  /// The response to a browser's preflight request for a page of another origin.
  static let preflight = HTTPResponse(
    204, text, [],
    [
      ("Access-Control-Allow-Methods", "GET, HEAD"),
      ("Access-Control-Allow-Headers", "Authorization, Cache-Control, Last-Event-ID"),
      ("Access-Control-Max-Age", "600"),
    ])

  package init(_ status: UInt32, _ contentType: String, _ body: [UInt8], _ headers: [(String, String)] = []) {
    self.status = status
    self.contentType = contentType
    self.body = body
    self.headers = headers
  }

  package static func json(_ buffer: ByteBuffer) -> HTTPResponse {
    HTTPResponse(200, json, buffer.array, [("Cache-Control", "no-store")])
  }

  package static func text(_ status: UInt32, _ text: String) -> HTTPResponse {
    HTTPResponse(status, Self.text, Array("\(text)\n".utf8), [("Cache-Control", "no-store")])
  }

  /// Creates an error response, `{"error":"…"}`, with a sentence.
  package static func error(_ status: UInt32, _ sentence: String, _ headers: [(String, String)] = []) -> HTTPResponse {
    let buffer = ByteBuffer(capacity: 256)
    buffer.append(#"{"error":"#, jsonString: sentence)
    buffer.append("}\n")
    return HTTPResponse(status, json, buffer.array, [("Cache-Control", "no-store")] + headers)
  }
}
