internal import ComboWire

/// Samples, sorted by what says that they are gifts.
struct SampleKinds {
  struct Kind {
    /// None: no field's value says so.
    let mark: GiftMark?
    var records: [[UInt8]]
  }

  private(set) var kinds: [Kind] = []

  init(_ records: [[UInt8]], _ doubts: inout [String]) {
    var unmarked: [[UInt8]] = []
    for record in records {
      let survey = FieldSurvey([record])
      if survey.records == 0 { continue }
      let marks = GiftMark.marks(survey)
      if marks.isEmpty { unmarked.append(record) }
      for mark in marks {
        if let index = kinds.firstIndex(where: { $0.mark == mark }) {
          kinds[index].records.append(record)
        } else {
          kinds.append(Kind(mark: mark, records: [record]))
        }
      }
    }
    if unmarked.isEmpty { return }
    if let found = Self.kinds(of: unmarked, &doubts) {
      kinds += found
    } else if kinds.isEmpty {
      doubts.append("when: no field distinguishes gifts from other records, so all records are taken for gifts")
      kinds = [Kind(mark: nil, records: unmarked)]
    } else {
      // Beside records that say that they are gifts, only those that have a gift's field.
      let gifts = unmarked.filter { Self.hasGift(FieldSurvey([$0])) }
      if !gifts.isEmpty { kinds.append(Kind(mark: nil, records: gifts)) }
    }
  }

  private static func hasGift(_ survey: FieldSurvey) -> Bool {
    survey.fields.contains {
      FieldWords.has($0.last, ["gift", "price", "present"]) || $0.last == "bits" || !GiftMark.words(in: $0.pointer).isEmpty
    }
  }

  /// No value says so: which values of one field have what a gift has?
  private static func kinds(of records: [[UInt8]], _ doubts: inout [String]) -> [Kind]? {
    let survey = FieldSurvey(records)
    let gifts = Set(survey.fields.filter { FieldWords.has($0.last, ["gift", "price", "present"]) }.flatMap(\.owners))
    let candidates = GiftMark.names.flatMap { name in
      survey.fields.filter { $0.last == name && $0.path.count <= 5 && $0.count * 2 >= survey.records }
        .sorted { ($0.path.count, $0.pointer) < ($1.path.count, $1.pointer) }
    }
    for field in candidates {
      let all = Set(field.values)
      if all.count < 2 || all.count > 40 { continue }
      let values = Set(zip(field.owners, field.values).filter { gifts.contains($0.0) }.map(\.1)).sorted()
      if values.isEmpty || values.count == all.count { continue }
      doubts.append(
        "when: \(values.map(MapGuess.quoted).joined(separator: ", ")) of \(field.pointer) are taken for gifts because they have a price or a gift's"
          + " field; their names do not say so")
      return values.map { value in
        let owners = Set(zip(field.owners, field.values).filter { $0.1 == value }.map(\.0))
        return Kind(
          mark: GiftMark(path: field.path, value: value),
          records: records.enumerated().filter { owners.contains($0.offset + 1) }.map(\.element))
      }
    }
    return nil
  }
}
