import ComboEdge
import ComboRegistry
import Testing

@testable import ComboTestSupport

@Suite("A schema registry")
struct SchemaRegistryTests {
  /// Starts a registry that has these answers by path, and knows nothing else.
  private static func server(_ answers: [String: String]) -> RegistryServer {
    RegistryServer { request in
      answers[request.path]
        ?? RegistryServer.answer("404 Not Found", #"{"error_code":40403,"message":"Schema not found"}"#)
    }
  }

  /// Returns a registry's answer with a schema.
  private static func document(_ schema: String, references: [String] = [], type: String? = nil) -> String {
    let quoted = "\"\(schema.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: #"\""#))\""
    let list = references.map { #"{"name":"\#($0)","subject":"\#($0)","version":1}"# }.joined(separator: ",")
    let kind = type.map { #","schemaType":"\#($0)""# } ?? ""
    return RegistryServer.answer("200 OK", #"{"schema":\#(quoted),"references":[\#(list)]\#(kind)}"#)
  }

  /// Returns the answer about schema 7 of a server with one answer for everything.
  private func answer(_ raw: String, _ limits: SchemaRegistry.Limits = .init()) -> SchemaAnswer {
    let server = RegistryServer { _ in raw }
    defer { server.end() }
    return SchemaRegistry(url: server.url, limits: limits).ask("7")
  }

  private func reason(_ answer: SchemaAnswer) -> String {
    if case .none(let reason) = answer { reason } else { "not .none, but \(answer)" }
  }

  @Test("has schemas by number and by GUID")
  func ids() {
    let guid = "01234567-89ab-cdef-0123-456789abcdef"
    let server = Self.server(["/schemas/ids/7": Self.document(#""long""#), "/schemas/guids/\(guid)": Self.document(#""string""#)])
    defer { server.end() }
    let registry = SchemaRegistry(url: server.url)
    #expect(registry.ask("7") == .schema(#""long""#))
    #expect(registry.ask(guid) == .schema(#""string""#))
    #expect(registry.ask("8") == .unknown("the registry does not know it"))
  }

  @Test("may report with the status alone that it does not have a schema, if it responds otherwise")
  func plainStatus() {
    let server = RegistryServer { request in
      request.path == "/schemas/types"
        ? RegistryServer.answer("200 OK", #"["AVRO"]"#)
        : RegistryServer.answer("404 Not Found", #"{"error_code":404,"message":"No content with that id"}"#)
    }
    defer { server.end() }
    #expect(SchemaRegistry(url: server.url).ask("8") == .unknown("the registry does not know it"))
  }

  @Test("has the references of a schema, whatever the subject's name, once each")
  func references() {
    func record(_ name: String, _ fields: String...) -> String {
      let fields = fields.enumerated().map { #"{"name":"f\#($0)","type":"\#($1)"}"# }.joined(separator: ",")
      return #"{"type":"record","name":"\#(name)","fields":[\#(fields)]}"#
    }
    let server = Self.server([
      "/schemas/ids/7": Self.document(record("A", "B", "C"), references: ["b/ä", "c"]),
      "/subjects/b%2F%C3%A4/versions/1": Self.document(record("B", "C"), references: ["c"]),
      "/subjects/c/versions/1": Self.document(record("C", "long")),
    ])
    defer { server.end() }
    guard case .schema(let text) = SchemaRegistry(url: server.url).ask("7") else {
      Issue.record("it has no schema")
      return
    }
    #expect(text.contains(#"{"name":"f0","type":{"name":"B","type":"record","fields":[{"name":"f0","type":{"name":"C""#))
    #expect(server.requests.count == 3)
  }

  @Test("may refer in cycles and without end: that is reported, and ends")
  func cycles() {
    let own = Self.server([
      "/schemas/ids/7": Self.document(#""A""#, references: ["a"]),
      "/subjects/a/versions/1": Self.document(#""B""#, references: ["a"]),
    ])
    defer { own.end() }
    guard case .unusable(let reason) = SchemaRegistry(url: own.url).ask("7") else {
      Issue.record("it has a schema")
      return
    }
    #expect(reason.contains(#"there is no Avro type "B""#))
    var limits = SchemaRegistry.Limits()
    limits.schemas = 4
    let ever = RegistryServer { request in
      Self.document(#""long""#, references: [String((Int(request.path.split(separator: "/")[1]) ?? 0) + 1)])
    }
    defer { ever.end() }
    #expect(SchemaRegistry(url: ever.url, limits: limits).ask("7") == .unusable("it refers to 4 schemas or more"))
    let missing = Self.server(["/schemas/ids/7": Self.document(#""A""#, references: ["a"])])
    defer { missing.end() }
    #expect(
      SchemaRegistry(url: missing.url).ask("7")
        == .unknown(#"it refers to version 1 of the subject "a", which the registry does not know"#))
  }

  @Test("has schemas that can never be used: that is reported")
  func unusable() {
    guard case .unusable(let proto) = answer(Self.document("x", type: "PROTOBUF")),
      case .unusable(let faulty) = answer(Self.document(#""lang""#)), case .unusable(let broken) = answer(Self.document("{"))
    else {
      Issue.record("it is used")
      return
    }
    #expect(proto.contains("the registry has it as PROTOBUF; a map that `combo-consumer map --proto` wrote reads such records"))
    #expect(faulty.contains(#"there is no Avro type "lang""#))
    #expect(broken.contains("schema 7 of the registry"))
  }

  @Test(
    "does not answer as one: the reason says what to do",
    arguments: [
      ("401 Unauthorized", "{}", "HTTP status 401: correct --schema-registry-auth-file, which is not given"),
      ("403 Forbidden", "{}", "HTTP status 403"), ("429 Too Many Requests", "{}", "answers with HTTP status 429"),
      ("500 Internal Server Error", "", "answers with HTTP status 500"),
      ("404 Not Found", "<html>", "HTTP status 404, and not as a registry does: correct the path"),
      ("404 Not Found", #"{"error_code":404,"message":"HTTP 404 Not Found"}"#, "and not as a registry does: correct the path"),
      ("200 OK", "<html>sign in</html>", "does not answer with JSON"), ("200 OK", "{}", "answers without a schema"),
      ("200 OK", #"{"schema":"\"long\"","references":[{}]}"#, "a reference that names no subject and version"),
    ])
  func noAnswer(status: String, body: String, expected: String) {
    #expect(reason(answer(RegistryServer.answer(status, body))).contains(expected))
  }

  @Test("that redirects is not followed")
  func redirect() {
    let other = Self.server([:])
    defer { other.end() }
    let raw = RegistryServer.answer("302 Found", "", headers: ["Location: \(other.url)/schemas/ids/7"])
    #expect(reason(answer(raw)).contains(#"redirects to "\#(other.url)/schemas/ids/7", which is not followed"#))
    #expect(other.requests.isEmpty)
  }

  @Test("that sends a hundred megabytes, or less than it announces, or nothing ever, is given up")
  func hostile() {
    let endless = "HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n" + String(repeating: "x", count: 2 << 20)
    #expect(reason(answer(endless)).contains("answers with more than 1048576 bytes"))
    #expect(reason(answer("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nx")).contains("does not answer: "))
    var limits = SchemaRegistry.Limits()
    limits.totalMs = 50
    let silent = RegistryServer { _ in nil }
    defer { silent.end() }
    #expect(reason(SchemaRegistry(url: silent.url, limits: limits).ask("7")).contains("does not answer: "))
    let gone = Self.server([:])
    let url = gone.url
    gone.end()
    #expect(reason(SchemaRegistry(url: url, limits: limits).ask("7")).contains("does not answer: "))
  }

  @Test("gets the login that its file has at the time of the request")
  func login() throws {
    let folder = try SecretFolder()
    let server = Self.server([:])
    defer { server.end() }
    let file = try folder.file("login", ["u:p w"])
    let registry = SchemaRegistry(url: server.url, authFile: file)
    func sent() -> String? {
      _ = registry.ask("7")
      return server.requests.last?.headers.first { $0.hasPrefix("Authorization: ") }
    }
    #expect(registry.fault() == nil)
    #expect(sent() == "Authorization: Basic dTpwIHc=")
    try folder.file("login", ["Bearer a.b-c"])
    #expect(sent() == "Authorization: Bearer a.b-c")
    for text in ["", "token", ":p", "u:p\nx:y", "Bearer "] {
      try folder.file("login", [text])
      #expect(registry.fault()!.contains("one line, USER:PASSWORD or Bearer TOKEN"), "\(text)")
      #expect(reason(registry.ask("7")).contains("one line"))
    }
    #expect(SchemaRegistry(url: server.url).fault() == nil)
    #expect(SchemaRegistry(url: server.url, caFile: "/nowhere").fault()!.contains("cannot open /nowhere"))
  }

  @Test("has an address without a login, and never shows one")
  func addresses() {
    for good in ["http://r", "https://r:8081", "https://r/apis/ccompat/v7"] { #expect(SchemaRegistry.fault(of: good) == nil) }
    for bad in ["r:8081", "ftp://r", "http://", "http:///x", "https://r?x", "https://r#x", "https://r r", ""] {
      #expect(SchemaRegistry.fault(of: bad)?.contains("must be an address") == true, "\(bad)")
    }
    #expect(SchemaRegistry.fault(of: "https://u:secret@r")!.contains("secret") == false)
  }

  @Test("is asked for its kinds of schemas to see whether it answers")
  func reasonUnusable() {
    let server = Self.server(["/schemas/types": RegistryServer.answer("200 OK", #"["AVRO"]"#)])
    #expect(SchemaRegistry(url: server.url).reasonUnusable() == nil)
    let url = server.url
    server.end()
    var limits = SchemaRegistry.Limits()
    limits.totalMs = 50
    #expect(SchemaRegistry(url: url, limits: limits).reasonUnusable() != nil)
  }
}
