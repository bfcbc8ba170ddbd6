@testable import Kingfisher

/// A textual description of every field of parsed options, by name.
struct OptionFields: Equatable {
    private let texts: [String: String]

    init(_ options: KingfisherParsedOptionsInfo) {
        let fields = Mirror(reflecting: options.values).children.compactMap { field in
            field.label.map { ($0, Self.text(of: field.value)) }
        }
        texts = Dictionary(uniqueKeysWithValues: fields)
    }

    subscript(name: String) -> String? { texts[name] }

    var names: Set<String> { Set(texts.keys) }

    /// The names of the fields that differ.
    func changes(since other: OptionFields) -> [String] {
        texts.filter { $0.value != other[$0.key] }.keys.sorted()
    }

    private static func text(of value: Any) -> String {
        let mirror = Mirror(reflecting: value)
        return switch mirror.displayStyle {
        case .optional: mirror.children.first.map { "some(\(text(of: $0.value)))" } ?? "nil"
        case .class: "\(type(of: value)) \(ObjectIdentifier(value as AnyObject))"
        case .collection: "\(mirror.children.map { text(of: $0.value) })"
        case .struct where value is any ImageProcessor: (value as? any ImageProcessor)?.identifier ?? ""
        default: "\(value)"
        }
    }
}
