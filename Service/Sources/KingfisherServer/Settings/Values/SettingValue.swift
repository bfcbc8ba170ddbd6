import Foundation

/// The text of a setting, and what it is read with.
struct SettingValue {
    /// The text without spaces at its ends; not empty.
    let text: String
    /// The name of the member if the setting is a family.
    var member = ""
    /// Where relative paths start.
    var folder = URL(filePath: FileManager.default.currentDirectoryPath, directoryHint: .isDirectory)
    /// The variables of the process.
    var environment: [String: String] = [:]

    var quoted: String { SettingText.quoted(text) }

    func number(
        _ unit: SettingUnit = .count, in range: ClosedRange<Int>
    ) throws(SettingReason) -> Int {
        guard let value = unit.value(of: text), range.contains(value) else {
            let bounds =
                range.upperBound == .max
                ? "of at least \(unit.text(range.lowerBound))"
                : "from \(unit.text(range.lowerBound)) to \(unit.text(range.upperBound))"
            throw SettingReason("\(quoted) is not \(unit.noun) \(bounds).")
        }
        return value
    }

    func decimal(in range: ClosedRange<Double>) throws(SettingReason) -> Double {
        guard text.wholeMatch(of: /[0-9]{1,9}(\.[0-9]{1,9})?/) != nil, let value = Double(text),
            range.contains(value)
        else {
            throw SettingReason("\(quoted) is not a number from \(range.lowerBound) to \(range.upperBound).")
        }
        return value
    }

    func flag() throws(SettingReason) -> Bool {
        switch text {
        case "on": true
        case "off": false
        default: throw SettingReason("\(quoted) is not on or off.")
        }
    }

    func choice<Value>(_ values: [(String, Value)]) throws(SettingReason) -> Value {
        guard let value = values.first(where: { $0.0 == text })?.1 else {
            throw SettingReason("\(quoted) is not \(SettingText.alternatives(values.map(\.0))).")
        }
        return value
    }

    /// The elements between commas; empty for `none`.
    func list() throws(SettingReason) -> [String] {
        if text == "none" { return [] }
        let elements = text.split(separator: ",", omittingEmptySubsequences: false).map(\.trimmedSpaces)
        guard elements.allSatisfy({ !$0.isEmpty }) else {
            throw SettingReason("\(quoted) has an empty element.")
        }
        return elements
    }

    /// The elements between commas, each parsed.
    func list<Element>(
        _ parse: (SettingValue) throws(SettingReason) -> Element
    ) throws(SettingReason) -> [Element] {
        var elements: [Element] = []
        for text in try list() {
            elements.append(try parse(SettingValue(text: text, folder: folder)))
        }
        return elements
    }
}
