internal import CSimdJSON
internal import ComboCore
internal import ComboWire

/// A choice among maps.
extension MapReader {
  /// - Parameter form: The text format of the choosing map.
  mutating func choice(_ token: Int, _ form: MapDefinition.TextForm) -> MapChoice? {
    guard let members = object(token, "choose", ["at", "header", "key", "maps", "map", "root", "fields"]) else { return nil }
    var choice = MapChoice()
    let by = ["at", "header", "key"].filter { members[$0] != nil }
    choice.root = members["root"].flatMap { path($0, "root") } ?? []
    if let fields = members["fields"], let named = object(fields, "fields", ["room", "ts"]) {
      choice.fields.room = named["room"].flatMap { expression($0, "room") }
      choice.fields.ts = named["ts"].flatMap { expression($0, "ts", isTime: true) }
    }
    defer {
      if let root = members["root"], choice.root.contains(PointerTable.each),
        choice.entries.contains(where: { $0.map.rules.contains { $0.kind ?? .gift != .gift } })
      {
        fault(
          root,
          "\(text.string(root)) may have several elements, so only gifts are allowed in it, but a chosen map has other events")
      }
    }
    if let only = members["map"] {
      if !by.isEmpty || members["maps"] != nil {
        fault(only, "choose has either one map for all, or at, header or key with maps")
      }
      if let map = other(only) { choice.entries = [([], map)] }
      checkForms(only, choice, form)
      return choice
    }
    if by.count == 1 {
      choice.by = source(members, by[0])
    } else {
      fault(token, "choose needs one of at (a pointer), header (a name) or key (true), and maps; or one map for all")
    }
    guard let maps = required(members, "maps", "an object from values to maps"), let named = object(maps, "maps", nil) else {
      return choice
    }
    for (value, _, map) in named.list {
      if let other = other(map) { choice.entries.append(([value], other)) }
    }
    if choice.entries.isEmpty, faults.isEmpty { fault(maps, "maps must name at least one map") }
    checkForms(maps, choice, form)
    return choice
  }

  /// Checks what of the chosen maps would have no effect, since records are read before a map is chosen. A journal may have maps
  /// of releases that checked less.
  private mutating func checkForms(_ token: Int, _ choice: MapChoice, _ form: MapDefinition.TextForm) {
    let maps = choice.entries.map(\.map)
    // JSON can be read besides any of the other formats.
    if Set(maps.map(\.form) + (library.isRecorded ? [] : [form])).subtracting([.json]).count > 1 {
      fault(token, "the maps must not read two text formats besides json: some read stt, and some irc")
    }
    if !library.isRecorded, maps.contains(where: { $0.isFramed || !$0.prefix.isEmpty }) {
      fault(token, "none of the maps may have a frame or a prefix; give it to this map")
    }
  }

  /// Reads a map that this one chooses.
  private mutating func other(_ token: Int) -> MapDefinition? {
    guard let name = string(token, "a map") else { return nil }
    let reference: MapReference
    switch MapReference.read(name) {
    case .success(let read): reference = read
    case .failure(let fault):
      self.fault(token, "\(fault)")
      return nil
    }
    guard let found = library.find(reference.name) else {
      fault(
        token,
        library.whyUnreadable(reference.name)
          ?? "there is no map \"\(reference.name)\"; it may be a built-in map (combo-consumer map --list), or a file's path from this one's folder"
      )
      return nil
    }
    do throws(MapFaults) {
      let source = try MapExpander.expanded(try MapText(found.text, file: found.file), library: library)
      var reader = MapReader(source, chosen: reference.switches, library: library, isChosen: true)
      let definition = reader.read()
      if !reader.faults.isEmpty {
        fault(token, "the map \"\(reference.name)\" has faults, which follow")
        faults += reader.faults
        return nil
      }
      if !others.contains(where: { $0.name == reference.name }) { others.append((reference.name, source.compact(0))) }
      return definition
    } catch {
      faults += error.faults
      return nil
    }
  }
}
