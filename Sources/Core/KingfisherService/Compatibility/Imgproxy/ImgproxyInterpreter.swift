/// Applies options in the order of the URL, and presets where they are named; later options replace earlier
/// ones.
struct ImgproxyInterpreter {
    /// Presets may contain presets, which would multiply a short URL.
    private static let maximumCount = 1_000

    private(set) var options: ImgproxyOptions
    private let presets: [String: String]
    private var count = 0

    init(_ presets: [String: String], smartCrop: ServiceSettings.SmartCrop) {
        options = ImgproxyOptions(smartCrop: smartCrop)
        self.presets = presets
    }

    /// Applies the preset `default`, the options or presets of a path, and the format of its source.
    mutating func apply(_ path: ImgproxyPath) throws(ServiceError) {
        if presets["default"] != nil { try apply(presets: ["default"], option: "preset", within: []) }
        try apply(presets: path.presets, option: "preset", within: [])
        try apply(path.options, within: [])
        guard let format = path.format else { return }
        options.output.format = .exactly(try CompatibleFormat.format(format, of: "format"))
    }

    private mutating func apply(_ segments: [Substring], within outer: [Substring]) throws(ServiceError) {
        for segment in segments {
            count += 1
            guard count <= Self.maximumCount else {
                throw ServiceError(400, "There are more than \(Self.maximumCount) options.")
            }
            let arguments = ImgproxyArguments(segment)
            switch ImgproxyOption.named(arguments.option)?.effect {
            case nil:
                throw .unsupported(arguments.option.asName, "there is no such option")
            case .unsupported(let reason):
                throw .unsupported(arguments.option, reason)
            case .presets:
                try apply(presets: arguments.fields, option: arguments.option, within: outer)
            case .change(let maximum, let change):
                try arguments.check(maximum: maximum)
                do {
                    try change(&options, arguments)
                } catch {
                    throw error as? ServiceError ?? arguments.invalid("other arguments")
                }
                try options.output.checkValues(arguments.invalid)
            }
        }
    }

    private mutating func apply(
        presets names: [Substring], option: String, within outer: [Substring]
    ) throws(ServiceError) {
        // A preset within itself has no effect, as in imgproxy.
        for name in names where !outer.contains(name) {
            guard let text = presets[String(name)] else {
                throw ServiceError(400, "\(option) is invalid: there is no preset '\(name.asName)'.")
            }
            try apply(text[...].pieces(separatedBy: "/"), within: outer + [name])
        }
    }
}
