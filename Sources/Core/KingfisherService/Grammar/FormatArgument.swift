/// The argument of `format`.
enum FormatArgument {
    private static let negotiated = "auto"
    private static let original = "original"

    @Sendable static func read(_ argument: Substring?, _ options: inout ServiceOptions) -> Bool {
        guard let argument else { return false }
        if ByteText.areEqual(argument, negotiated) {
            options.format = .negotiated
        } else if ByteText.areEqual(argument, original) {
            options.format = .original
        } else if let format = OutputFormat.named(argument) {
            options.format = .exactly(format)
        } else {
            return false
        }
        return true
    }

    @Sendable static func write(_ options: ServiceOptions) -> String? {
        switch options.format {
        case .negotiated: nil
        case .original: original
        case .exactly(let format): OutputFormat.name(of: format)
        }
    }
}
