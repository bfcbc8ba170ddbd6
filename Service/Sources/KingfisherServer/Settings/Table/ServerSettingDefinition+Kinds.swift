import Foundation
import Kingfisher

/// Rows of common kinds. The default is what a draft has.
extension ServerSettingDefinition {
    typealias Path<Value> = any WritableKeyPath<SettingsDraft, Value> & Sendable

    private static let initial = SettingsDraft()

    static func number(
        _ name: String, _ unit: SettingUnit = .count, in range: ClosedRange<Int>, _ summary: String,
        _ path: Path<Int>
    ) -> Self {
        Self(name, default: unit.text(initial[keyPath: path]), unit.text(range), summary) {
            value, draft throws(SettingReason) in
            draft[keyPath: path] = try value.number(unit, in: range)
        }
    }

    /// A number that depends on other facts if it is not set.
    static func number(
        _ name: String, _ unit: SettingUnit = .count, default defaultText: String, in range: ClosedRange<Int>,
        _ summary: String, _ path: Path<Int?>
    ) -> Self {
        Self(name, default: defaultText, unit.text(range), summary) { value, draft throws(SettingReason) in
            draft[keyPath: path] =
                value.text == defaultText ? nil : try value.number(unit, in: range)
        }
    }

    /// A lifetime of at most a year.
    static func lifetime(_ name: String, _ summary: String, _ path: Path<Int>) -> Self {
        number(name, .seconds, in: year, summary, path)
    }

    static let year = 0...31_536_000

    static func lifetime(_ name: String, _ summary: String, _ path: Path<TimeInterval>) -> Self {
        let unit = SettingUnit.seconds
        let initial = Int(initial[keyPath: path])
        return Self(name, default: unit.text(initial), unit.text(year), summary) {
            value, draft throws(SettingReason) in
            draft[keyPath: path] = TimeInterval(try value.number(unit, in: year))
        }
    }

    static func timeout(_ name: String, _ summary: String, _ path: Path<Duration>) -> Self {
        let (unit, range) = (SettingUnit.seconds, 1...600)
        let initial = Int(initial[keyPath: path].components.seconds)
        return Self(name, default: unit.text(initial), "1 s…600 s", summary) {
            value, draft throws(SettingReason) in
            draft[keyPath: path] = .seconds(try value.number(unit, in: range))
        }
    }

    static func flag(_ name: String, _ summary: String, _ path: Path<Bool>) -> Self {
        Self(name, .flag, default: initial[keyPath: path] ? "on" : "off", "on, off", summary) {
            value, draft throws(SettingReason) in
            draft[keyPath: path] = try value.flag()
        }
    }

    static func choice<Value: Equatable & Sendable>(
        _ name: String, _ values: [(String, Value)], _ summary: String, _ path: Path<Value>
    ) -> Self {
        let initial = initial[keyPath: path]
        return Self(
            name, default: values.first { $0.1 == initial }?.0, values.map(\.0).joined(separator: ", "),
            summary
        ) { value, draft throws(SettingReason) in
            draft[keyPath: path] = try value.choice(values)
        }
    }

    /// A text that is checked together with others.
    static func text(_ name: String, _ range: String, _ summary: String, _ path: Path<String>) -> Self {
        Self(name, default: initial[keyPath: path], range, summary) { value, draft throws(SettingReason) in
            draft[keyPath: path] = value.text
        }
    }

    static func text(_ name: String, _ range: String, _ summary: String, _ path: Path<String?>) -> Self {
        Self(name, default: nil, range, summary) { value, draft throws(SettingReason) in
            draft[keyPath: path] = value.text
        }
    }

    static func networks(_ name: String, _ summary: String, _ path: Path<[IPNetwork]>) -> Self {
        Self(name, default: "none", "addresses and networks, none", summary) {
            value, draft throws(SettingReason) in
            draft[keyPath: path] = try value.list { element throws(SettingReason) in try element.network() }
        }
    }

    static func origin(_ name: String, _ summary: String, _ path: Path<String?>) -> Self {
        Self(name, default: nil, "*, an origin", summary) { value, draft throws(SettingReason) in
            draft[keyPath: path] = try value.origin()
        }
    }
}
