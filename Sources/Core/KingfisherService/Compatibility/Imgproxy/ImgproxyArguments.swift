/// The name of an option and its arguments, separated by colons.
///
/// An argument that is missing or empty is nil.
struct ImgproxyArguments {
    /// As in the URL, long or short.
    let option: String
    let fields: [Substring]

    init(_ segment: Substring) {
        let pieces = segment.pieces(separatedBy: ":")
        option = String(pieces[0])
        fields = Array(pieces.dropFirst())
    }

    private init(_ option: String, _ fields: [Substring]) {
        (self.option, self.fields) = (option, fields)
    }

    func check(maximum: Int) throws(ServiceError) {
        guard fields.count <= maximum else { throw invalid("at most \(maximum) arguments") }
    }

    /// The arguments from an index on.
    func dropping(_ count: Int) -> ImgproxyArguments {
        ImgproxyArguments(option, Array(fields.dropFirst(count)))
    }

    func text(_ index: Int) -> Substring? {
        fields.indices.contains(index) && !fields[index].isEmpty ? fields[index] : nil
    }

    func wholeIfAny(_ index: Int, in bounds: ClosedRange<Int>) throws(ServiceError) -> Int? {
        guard let text = text(index) else { return nil }
        guard let number = PlainNumber.whole(text), bounds.contains(number) else {
            throw invalid("a whole number from \(bounds.lowerBound) to \(bounds.upperBound)")
        }
        return number
    }

    func decimalIfAny(_ index: Int, in bounds: ClosedRange<Double>) throws(ServiceError) -> Double? {
        guard let text = text(index) else { return nil }
        guard let number = PlainNumber.decimal(text), bounds.contains(number) else {
            let (low, high) = (PlainNumber.text(bounds.lowerBound), PlainNumber.text(bounds.upperBound))
            throw invalid("a number from \(low) to \(high)")
        }
        return number
    }

    func flagIfAny(_ index: Int) throws(ServiceError) -> Bool? {
        guard let text = text(index) else { return nil }
        guard let flag = Self.flags[text] else { throw invalid("1 or 0") }
        return flag
    }

    func whole(_ index: Int = 0, in bounds: ClosedRange<Int>) throws(ServiceError) -> Int {
        try required(try wholeIfAny(index, in: bounds))
    }

    func decimal(_ index: Int = 0, in bounds: ClosedRange<Double>) throws(ServiceError) -> Double {
        try required(try decimalIfAny(index, in: bounds))
    }

    func flag(_ index: Int = 0) throws(ServiceError) -> Bool {
        try required(try flagIfAny(index))
    }

    func required<Value>(_ value: Value?) throws(ServiceError) -> Value {
        guard let value else { throw invalid("more arguments") }
        return value
    }

    func invalid(_ expected: String) -> ServiceError { .invalid(option, expected: expected) }

    /// An argument that has no equivalent.
    func unsupported(_ argument: some StringProtocol, _ reason: String) -> ServiceError {
        .unsupported("\(option) \(argument)", reason)
    }

    private static let flags: [Substring: Bool] = [
        "1": true, "t": true, "T": true, "true": true, "True": true, "TRUE": true,
        "0": false, "f": false, "F": false, "false": false, "False": false, "FALSE": false,
    ]
}
