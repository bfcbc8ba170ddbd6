/// The arguments of a filter.
struct ThumborArguments {
    let filter: String
    let texts: [String]

    init(_ filter: String, _ texts: [String]) { (self.filter, self.texts) = (filter, texts) }

    func whole(_ index: Int, in bounds: ClosedRange<Int>) throws(ServiceError) -> Int {
        guard let number = PlainNumber.whole(texts[index]), bounds.contains(number) else {
            throw invalid("a whole number from \(bounds.lowerBound) to \(bounds.upperBound)")
        }
        return number
    }

    func decimal(_ index: Int, in bounds: ClosedRange<Double>) throws(ServiceError) -> Double {
        guard let number = PlainNumber.decimal(texts[index]), bounds.contains(number) else {
            let (low, high) = (PlainNumber.text(bounds.lowerBound), PlainNumber.text(bounds.upperBound))
            throw invalid("a number from \(low) to \(high)")
        }
        return number
    }

    /// False if the argument is missing.
    func flag(_ index: Int) throws(ServiceError) -> Bool {
        guard texts.indices.contains(index) else { return false }
        switch texts[index].lowercased() {
        case "1", "true": return true
        case "0", "false", "": return false
        default: throw invalid("1 or 0")
        }
    }

    /// A colour as steps read it: hexadecimal, with or without `#`, or a name of CSS level 1.
    func color(_ index: Int) throws(ServiceError) -> String {
        let text = texts[index]
        guard text != "auto", text != "blur" else {
            throw unsupported(text, "the colour cannot depend on the image")
        }
        let digits = text.utf8.first == UInt8(ascii: "#") ? Substring(text.utf8.dropFirst()) : text[...]
        guard let color = CompatibleColor.hexadecimal(digits) ?? CompatibleColor.named(text) else {
            throw invalid("three or six hexadecimal digits, or a name of CSS level 1")
        }
        return color
    }

    func invalid(_ expected: String) -> ServiceError { .invalid(filter, expected: expected) }

    func unsupported(_ argument: some StringProtocol, _ reason: String) -> ServiceError {
        .unsupported("\(filter) \(argument)", reason)
    }
}
