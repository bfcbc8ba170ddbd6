import KingfisherImage

/// The argument of `quality`: a quality, and qualities of formats, such as `80,webp=70`.
enum QualityArgument {
    @Sendable static func read(_ argument: Substring?, _ options: inout ServiceOptions) -> Bool {
        guard let argument else { return false }
        var general: Int?
        var qualities: [ImageFormat: Int] = [:]
        for (index, part) in ByteText.split(argument, at: ",").enumerated() {
            guard let (name, text) = ByteText.cut(part, at: "=") else {
                guard index == 0, let quality = quality(part) else { return false }
                general = quality
                continue
            }
            guard let format = OutputFormat.named(name), let quality = quality(text),
                qualities.updateValue(quality, forKey: format) == nil
            else { return false }
        }
        (options.quality, options.formatQualities) = (general, qualities)
        return true
    }

    /// Formats in the order of `OutputFormat.all`, others by name.
    @Sendable static func write(_ options: ServiceOptions) -> String? {
        let order = OutputFormat.all.map(\.name)
        let formats = options.formatQualities.map { (OutputFormat.name(of: $0.key), $0.value) }
            .sorted { one, other in
                let ranks = [one.0, other.0].map { order.firstIndex(of: $0) ?? order.count }
                return ranks[0] == ranks[1] ? one.0 < other.0 : ranks[0] < ranks[1]
            }
        let parts = (options.quality.map { ["\($0)"] } ?? []) + formats.map { "\($0.0)=\($0.1)" }
        return parts.isEmpty ? nil : parts.joined(separator: ",")
    }

    private static func quality(_ text: Substring) -> Int? {
        ByteText.number(text).flatMap { (1...100).contains($0) ? $0 : nil }
    }
}
