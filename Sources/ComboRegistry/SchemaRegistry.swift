internal import CCurl
package import ComboEdge
internal import ComboMaps
internal import ComboSystem
internal import ComboWire
internal import Glibc
internal import Synchronization

/// A schema registry with Confluent's interface (https://docs.confluent.io/platform/current/schema-registry/develop/api.html), as
/// in Karapace, Redpanda and Apicurio. May be used from any thread.
package final class SchemaRegistry: Equatable, Sendable {
  /// The address, without a trailing slash.
  package let url: String
  private let authFile: String?
  private let caFile: String?
  private let limits: Limits
  private let isRetryRequested = Atomic<Bool>(false)

  /// The limits of requests and responses.
  package struct Limits: Equatable, Sendable {
    package var bytes = 1 << 20
    package var connectMs = 3000
    package var totalMs = 10_000
    /// The maximum number of schemas, including all references.
    package var schemas = 64

    package init() {}
  }

  private static let secretMax = 16_384
  private static let typesPath = "/schemas/types"

  /// - Parameters:
  ///   - authFile: A file with `USER:PASSWORD` or `Bearer TOKEN`. It is read at each request, so that it can be replaced.
  ///   - caFile: The certificates of its authority, or nil for those of the system.
  package init(url: String, authFile: String? = nil, caFile: String? = nil, limits: Limits = Limits()) {
    self.url = url
    self.authFile = authFile
    self.caFile = caFile
    self.limits = limits
  }

  package static func == (a: SchemaRegistry, b: SchemaRegistry) -> Bool {
    a.url == b.url && a.authFile == b.authFile && a.caFile == b.caFile
  }

  /// Returns the reason why a text is not an address of a registry, as the end of a sentence, or nil if it may be one.
  package static func fault(of url: String) -> String? {
    // It may contain a password, so it is not shown.
    if url.contains("@") {
      return "must have no login: put USER:PASSWORD or Bearer TOKEN into a file, and name that by --schema-registry-auth-file"
    }
    let rest = url.hasPrefix("http://") ? url.dropFirst(7) : url.hasPrefix("https://") ? url.dropFirst(8) : ""
    let isPlain = url.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    if rest.isEmpty || rest.hasPrefix("/") || !isPlain || url.contains("?") || url.contains("#") {
      return "must be an address such as https://registry:8081, not \(Sentence.quoted(url))"
    }
    return nil
  }

  /// Returns the reason why requests would fail, as a sentence, or nil if the files are readable.
  package func fault() -> String? {
    if let caFile, access(caFile, R_OK) != 0 {
      return "--schema-registry-ca: cannot open \(caFile): \(String(cString: strerror(errno)))"
    }
    if case .failure(let failure) = login() { return failure.description }
    return nil
  }

  // MARK: - Schemas

  /// Returns the schema of an id or a GUID with all its references, in the form that a map reads.
  package func ask(_ id: String) -> SchemaAnswer {
    do throws(Obstacle) {
      let document = try schema(at: "/schemas/\(id.contains("-") ? "guids" : "ids")/\(id)", "the registry does not know it")
      var gathering = Gathering()
      try gather(document, &gathering)
      var text = document.text
      if !gathering.texts.isEmpty {
        text = #"{"schema":"# + text + #","references":["# + gathering.texts.joined(separator: ",") + "]}"
      }
      do throws(MapFaults) {
        return .schema(try RecordMap.schema(Array(text.utf8), file: "schema \(id) of the registry", id: id))
      } catch {
        return .unusable(error.faults[0].description)
      }
    } catch {
      return error.answer
    }
  }

  /// Requests that refused schemas are fetched again.
  package func retry() { isRetryRequested.store(true, ordering: .relaxed) }

  /// Returns whether a retry was requested since the last call.
  package func takeRetry() -> Bool {
    isRetryRequested.load(ordering: .relaxed) && isRetryRequested.exchange(false, ordering: .relaxed)
  }

  /// Returns the reason why the registry is unusable now, as a sentence, or nil if it answers.
  package func reasonUnusable() -> String? {
    do throws(Obstacle) {
      _ = try get(Self.typesPath, "it has no list of its kinds of schemas")
      return nil
    } catch {
      switch error.answer {
      case .none(let reason), .unknown(let reason), .unusable(let reason): return reason
      case .schema: return nil
      }
    }
  }

  /// The answer that there is no schema.
  private struct Obstacle: Error {
    let answer: SchemaAnswer
  }

  /// The content of an id or of a subject's version in the registry.
  private struct Document {
    let text: String
    let references: [(subject: String, version: Int)]
  }

  /// The references of a schema, each before those that refer to it.
  private struct Gathering {
    var texts: [String] = []
    var seen: Set<String> = []
  }

  private func gather(_ document: Document, _ gathering: inout Gathering) throws(Obstacle) {
    for (subject, version) in document.references {
      let path = "/subjects/\(Self.escaped(subject))/versions/\(version)"
      // A circular reference is not read again: the schema then lacks a type, which is reported.
      guard gathering.seen.insert(path).inserted else { continue }
      if gathering.seen.count >= limits.schemas {
        throw Obstacle(answer: .unusable("it refers to \(limits.schemas) schemas or more"))
      }
      let referred = try schema(
        at: path, "it refers to version \(version) of the subject \(Sentence.quoted(subject)), which the registry does not know")
      try gather(referred, &gathering)
      gathering.texts.append(referred.text)
    }
  }

  private func schema(at path: String, _ unknown: String) throws(Obstacle) -> Document {
    let value = try get(path, unknown)
    guard let text = value["schema"]?.string else { throw .init(answer: .none("\(url)\(path) answers without a schema")) }
    if let type = value["schemaType"]?.string, type != "AVRO" {
      let advice =
        type == "PROTOBUF"
        ? "a map that `combo-consumer map --proto` wrote reads such records, without a registry"
        : "only Avro schemas are supported"
      throw .init(answer: .unusable("the registry has it as \(type); \(advice)"))
    }
    let references = (value["references"]?.array ?? []).map { reference in
      reference["subject"]?.string.flatMap { subject in reference["version"]?.integer.map { (subject: subject, version: $0) } }
    }
    if references.contains(where: { $0 == nil }) {
      throw .init(answer: .none("\(url)\(path) answers with a reference that names no subject and version"))
    }
    return Document(text: text, references: references.compactMap { $0 })
  }

  private static func escaped(_ subject: String) -> String {
    let hex = Array("0123456789ABCDEF")
    return subject.utf8.reduce(into: "") { text, byte in
      let isPlain =
        (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte | 0x20) || "-._~".utf8.contains(byte)
      text += isPlain ? String(UnicodeScalar(byte)) : "%\(hex[Int(byte >> 4)])\(hex[Int(byte & 15)])"
    }
  }

  // MARK: - HTTP

  private struct Login {
    var user: String?
    var header: String?
  }

  private func login() -> Result<Login, TextFile.Failure> {
    guard let authFile else { return .success(Login()) }
    return TextFile.read(authFile, limit: Self.secretMax, named: "the file").flatMap { text in
      let lines = text.split(whereSeparator: \.isNewline).map(String.init)
      let isPlain = lines.count == 1 && lines[0].utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
      if isPlain, lines[0].hasPrefix("Bearer "), lines[0].utf8.count > 7 {
        return .success(Login(header: "Authorization: \(lines[0])"))
      }
      if isPlain, let colon = lines[0].firstIndex(of: ":"), colon != lines[0].startIndex {
        return .success(Login(user: lines[0]))
      }
      return .failure(.init(description: "the file must have one line, USER:PASSWORD or Bearer TOKEN"))
    }
    .mapError { .init(description: "--schema-registry-auth-file: \($0)") }
  }

  /// The JSON at a path.
  private func get(_ path: String, _ unknown: String) throws(Obstacle) -> JSONValue {
    func none(_ reason: String) -> Obstacle { Obstacle(answer: .none(reason)) }
    let login: Login
    switch self.login() {
    case .success(let found): login = found
    case .failure(let failure): throw none(failure.description)
    }
    let address = url + path
    var answer = Self.withCStrings([address, login.user, login.header, caFile]) { [limits] texts in
      var request = ccurl_request(
        url: texts[0], user: texts[1], header: texts[2], ca: texts[3], bytes_max: limits.bytes, connect_ms: limits.connectMs,
        total_ms: limits.totalMs)
      return ccurl_get(&request)
    }
    defer { free(answer.body) }
    if answer.is_too_large != 0 { throw none("\(address) answers with more than \(limits.bytes) bytes") }
    let status = answer.status
    if status == 0 { throw none("\(address) does not answer: \(Self.text(&answer.reason))") }
    if (300..<400).contains(status) {
      throw none(
        "\(address) redirects to \(Sentence.quoted(Self.text(&answer.redirect))), which is not followed: give the address of the registry itself"
      )
    }
    let value = JSONValue(UnsafeRawBufferPointer(start: answer.body, count: answer.count))
    if status == 401 || status == 403 {
      throw none(
        "\(address) refuses the login with HTTP status \(status): correct \(authFile == nil ? "--schema-registry-auth-file, which is not given" : "the file of --schema-registry-auth-file")"
      )
    }
    if status == 404 {
      // A wrong path is answered with an error_code, too, which is often 404 itself.
      if let code = value?["error_code"]?.integer, code / 100 == 404 || path != Self.typesPath && reasonUnusable() == nil {
        throw .init(answer: .unknown(unknown))
      }
      throw none("\(address) answers with HTTP status 404, and not as a registry does: correct the path of --schema-registry")
    }
    if status != 200 { throw none("\(address) answers with HTTP status \(status)") }
    guard let value else { throw none("\(address) does not answer with JSON: is it a registry with Confluent's interface?") }
    return value
  }

  private static func text<Characters>(_ characters: inout Characters) -> String {
    withUnsafeBytes(of: &characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }

  private static func withCStrings<Value>(_ texts: [String?], _ body: ([UnsafePointer<CChar>?]) -> Value) -> Value {
    let copies = texts.map { $0.map { strdup($0) } ?? nil }
    defer { for copy in copies { free(copy) } }
    return body(copies.map { $0.map { UnsafePointer($0) } })
  }
}
