import CIndexStore
import Foundation

/// Reads the index that `swift build` writes: which declarations the sources have, and which of them are referenced. Used by one
/// thread.
final class DeclarationIndex {
  struct Declaration {
    let name: String
    let file: String
    let line: Int
  }

  /// The declarations of `Sources`, by their unique names, without implicit ones and those that a protocol or superclass demands.
  private(set) var declared: [String: Declaration] = [:]
  /// The unique names of all declarations that Swift code references.
  private(set) var referenced: Set<String> = []
  private var demanded: Set<String> = []

  private let library: Library
  private let store: IndexObject
  private var units: [String] = []
  /// The file whose occurrences are read.
  private var file = ""

  /// - Returns: nil if there is no index in the folder, or no library that reads it.
  init?(_ folder: String) {
    guard let library = Library(), FileManager.default.fileExists(atPath: folder) else { return nil }
    var error: IndexObject?
    guard let store = library.createStore(folder, &error) else { return nil }
    (self.library, self.store) = (library, store)
    _ = library.forEachUnit(store, 0, context) { context, name in
      DeclarationIndex.from(context).units.append(String(name))
      return true
    }
    for unit in units { read(unit) }
    for name in demanded { declared[name] = nil }
  }

  private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  private static func from(_ context: UnsafeMutableRawPointer?) -> DeclarationIndex {
    Unmanaged<DeclarationIndex>.fromOpaque(context!).takeUnretainedValue()
  }

  private func read(_ unit: String) {
    var error: IndexObject?
    guard let reader = library.createUnit(store, unit, &error) else { return }
    defer { library.disposeUnit(reader) }
    file = String(library.mainFile(reader))
    // The store keeps units of files that were deleted.
    guard file.hasSuffix(".swift"), FileManager.default.fileExists(atPath: file) else { return }
    _ = library.forEachDependency(reader, context) { context, dependency in
      DeclarationIndex.from(context).readRecord(of: dependency)
      return true
    }
  }

  private func readRecord(of dependency: IndexObject?) {
    var error: IndexObject?
    guard library.dependencyKind(dependency) == Self.recordDependency,
      let reader = library.createRecord(store, String(library.dependencyName(dependency)), &error)
    else { return }
    defer { library.disposeRecord(reader) }
    _ = library.forEachOccurrence(reader, context) { context, occurrence in
      DeclarationIndex.from(context).add(occurrence)
      return true
    }
  }

  private func add(_ occurrence: IndexObject?) {
    let symbol = library.symbol(occurrence)
    let roles = library.roles(occurrence)
    let name = String(library.uniqueName(symbol))
    if roles & Role.reference != 0 { referenced.insert(name) }
    if roles & Role.overrides != 0 { demanded.insert(name) }
    guard roles & Role.definition != 0, roles & Role.implicit == 0, file.contains("/Sources/"),
      Self.checkedKinds.contains(library.kind(symbol)), library.subkind(symbol) == 0
    else { return }
    var (line, column): (UInt32, UInt32) = (0, 0)
    library.place(occurrence, &line, &column)
    declared[name] = Declaration(name: String(library.name(symbol)), file: file, line: Int(line))
  }

  private static let recordDependency: Int32 = 2
  /// Types, functions, enum cases, methods and properties.
  private static let checkedKinds: Set<Int32> = [5, 6, 7, 8, 11, 12, 13, 15, 16, 17, 18, 19, 20, 21]

  private enum Role {
    static let definition: UInt64 = 1 << 1
    static let reference: UInt64 = 1 << 2
    static let implicit: UInt64 = 1 << 8
    static let overrides: UInt64 = 1 << 11
  }
}

/// The functions of libIndexStore. Used by one thread.
private struct Library {
  let createStore: IndexCreateStore
  let forEachUnit: IndexUnitsApply
  let createUnit: IndexCreateReader
  let disposeUnit: IndexDispose
  let mainFile: IndexGetText
  let forEachDependency: IndexApply
  let dependencyKind: IndexGetKind
  let dependencyName: IndexGetText
  let createRecord: IndexCreateReader
  let disposeRecord: IndexDispose
  let forEachOccurrence: IndexApply
  let symbol: IndexGetObject
  let roles: IndexGetRoles
  let place: IndexGetPlace
  let name: IndexGetText
  let uniqueName: IndexGetText
  let kind: IndexGetKind
  let subkind: IndexGetKind

  /// - Returns: nil if the toolchain of the `swift` in the path has no such library.
  init?() {
    guard let handle = Self.paths().lazy.compactMap({ dlopen($0, RTLD_NOW) }).first else { return nil }
    func function<Function>(_ name: String) -> Function { unsafeBitCast(dlsym(handle, "indexstore_\(name)")!, to: Function.self) }
    createStore = function("store_create")
    forEachUnit = function("store_units_apply_f")
    createUnit = function("unit_reader_create")
    disposeUnit = function("unit_reader_dispose")
    mainFile = function("unit_reader_get_main_file")
    forEachDependency = function("unit_reader_dependencies_apply_f")
    dependencyKind = function("unit_dependency_get_kind")
    dependencyName = function("unit_dependency_get_name")
    createRecord = function("record_reader_create")
    disposeRecord = function("record_reader_dispose")
    forEachOccurrence = function("record_reader_occurrences_apply_f")
    symbol = function("occurrence_get_symbol")
    roles = function("occurrence_get_roles")
    place = function("occurrence_get_line_col")
    name = function("symbol_get_name")
    uniqueName = function("symbol_get_usr")
    kind = function("symbol_get_kind")
    subkind = function("symbol_get_subkind")
  }

  private static func paths() -> [String] {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").compactMap { folder in
      let swift = URL(filePath: "\(folder)/swift").resolvingSymlinksInPath()
      guard FileManager.default.isExecutableFile(atPath: swift.path) else { return nil }
      return swift.deletingLastPathComponent().deletingLastPathComponent().appending(path: "lib/libIndexStore.so").path
    }
  }
}

extension String {
  fileprivate init(_ text: IndexText) {
    self.init(decoding: UnsafeRawBufferPointer(start: text.data, count: text.length), as: UTF8.self)
  }
}
