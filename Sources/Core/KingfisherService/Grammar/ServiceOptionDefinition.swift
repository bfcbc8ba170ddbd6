/// An option of a URL, such as `quality:80`: its syntax and its meaning.
///
/// One value has all that the reader, the writer, the help and the documentation know about an option.
public struct ServiceOptionDefinition: Sendable {
    /// Reads the argument, which is percent-decoded, and nil without a colon. Sets every field of the option;
    /// false if the argument is invalid.
    typealias Reader = @Sendable (Substring?, inout ServiceOptions) -> Bool
    /// The canonical argument, empty for an option without one; nil if the options have the default.
    typealias Writer = @Sendable (ServiceOptions) -> String?

    /// The name of the option, before the colon.
    public let name: String
    /// The syntax, such as `tag:A[,B…]`; arguments in brackets are optional.
    public let usage: String
    /// An option of this kind, as a segment of a URL.
    public let example: String
    /// What the option does, in a sentence or two.
    public let summary: String
    /// What applies without the option.
    public let defaultValue: String
    /// The kind of request that has the option; nil for all.
    let kind: ServiceRequest.Kind?
    let read: Reader
    let write: Writer

    init(
        _ usage: String, example: String, default defaultValue: String, _ summary: String,
        kind: ServiceRequest.Kind? = nil, read: @escaping Reader, write: @escaping Writer
    ) {
        name = String(usage.prefix { $0 != ":" })
        (self.usage, self.example, self.defaultValue) = (usage, example, defaultValue)
        (self.summary, self.kind, self.read, self.write) = (summary, kind, read, write)
    }

    static func named(_ name: some StringProtocol) -> ServiceOptionDefinition? {
        all.first { ByteText.areEqual($0.name, name) }
    }

    /// Whether a URL can have the value of this option. Another value, which a URL of another service may
    /// have, has no canonical path.
    func allows(_ options: ServiceOptions) -> Bool {
        guard let argument = write(options) else { return true }
        var options = options
        return read(argument.isEmpty ? nil : argument[...], &options)
    }

    /// The first option whose value in `options` no URL of this service can have.
    static func forbidden(in options: ServiceOptions) -> ServiceOptionDefinition? {
        all.first { !$0.allows(options) }
    }

    /// The option with its canonical argument, not percent-encoded; nil if the options have the default.
    func segment(of options: ServiceOptions) -> String? {
        write(options).map { $0.isEmpty ? name : "\(name):\($0)" }
    }
}

extension ServiceOptionDefinition {
    static func flag(
        _ name: String, _ summary: String, _ path: any WritableKeyPath<ServiceOptions, Bool> & Sendable,
        kind: ServiceRequest.Kind? = nil
    ) -> Self {
        Self(name, example: name, default: "no", summary, kind: kind) { argument, options in
            options[keyPath: path] = true
            return argument == nil
        } write: {
            $0[keyPath: path] ? "" : nil
        }
    }

    static func number(
        _ usage: String, example: String, default defaultValue: String, _ summary: String,
        in bounds: ClosedRange<Int>, _ path: any WritableKeyPath<ServiceOptions, Int?> & Sendable
    ) -> Self {
        Self(usage, example: example, default: defaultValue, summary) { argument, options in
            guard let argument, let number = ByteText.number(argument), bounds.contains(number) else {
                return false
            }
            options[keyPath: path] = number
            return true
        } write: {
            $0[keyPath: path].map(String.init)
        }
    }

    static func choice<Value: RawRepresentable<String> & CaseIterable & Sendable>(
        _ usage: String, example: String, default defaultValue: String, _ summary: String,
        _ path: any WritableKeyPath<ServiceOptions, Value?> & Sendable
    ) -> Self {
        Self(usage, example: example, default: defaultValue, summary) { argument, options in
            guard let argument, let value = Value.named(argument) else { return false }
            options[keyPath: path] = value
            return true
        } write: {
            $0[keyPath: path]?.rawValue
        }
    }

    /// A text without control characters that `isValid` accepts.
    static func text(
        _ usage: String, example: String, default defaultValue: String, _ summary: String,
        _ path: any WritableKeyPath<ServiceOptions, String?> & Sendable,
        where isValid: @escaping @Sendable (Substring) -> Bool
    ) -> Self {
        Self(usage, example: example, default: defaultValue, summary) { argument, options in
            guard let argument, isValid(argument), !PercentEncoding.hasControl(argument) else { return false }
            options[keyPath: path] = String(argument)
            return true
        } write: {
            $0[keyPath: path]
        }
    }
}

extension RawRepresentable<String> where Self: CaseIterable {
    static func named(_ text: some StringProtocol) -> Self? {
        allCases.first { ByteText.areEqual($0.rawValue, text) }
    }
}
