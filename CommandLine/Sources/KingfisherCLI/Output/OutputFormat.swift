import ArgumentParser
import Kingfisher

/// A format that the tool reads and writes: one of those that are registered (`ImageCodecs`).
struct OutputFormat: Hashable, Sendable {
    let imageFormat: ImageFormat

    static let png = OutputFormat(imageFormat: .PNG)
    static let apng = OutputFormat(imageFormat: .APNG)

    /// All there are, by name.
    static var all: [OutputFormat] {
        ImageCodecs.formats.map { OutputFormat(imageFormat: $0) }.sorted { $0.name < $1.name }
    }

    /// The formats in a sentence: `gif, jpeg or png`.
    static var listing: String { names { _ in true } }

    /// Those that fulfil a condition, in a sentence.
    static func names(where condition: (OutputFormat) -> Bool) -> String {
        let names = all.filter(condition).map(\.name)
        guard let last = names.last else { return "no format that this tool knows" }
        guard names.count > 1 else { return last }
        return "\(names.dropLast().joined(separator: ", ")) or \(last)"
    }

    /// What `-f` and JSON call it.
    var name: String { imageFormat.name.lowercased() }

    /// What its files' names end in.
    var fileExtension: String { ImageCodecs.codec(for: imageFormat)?.fileExtensions.first ?? name }

    private var capabilities: CodecCapabilities {
        ImageCodecs.codec(for: imageFormat)?.capabilities ?? []
    }

    /// Whether a quality can be chosen.
    var isLossy: Bool { capabilities.contains(.encodesLossy) }

    /// Whether it can be written without loss, or with.
    var hasLosslessMode: Bool { capabilities.isSuperset(of: [.encodesLossy, .encodesLossless]) }

    /// Whether it has room for an animation.
    var holdsAnimations: Bool { capabilities.contains(.encodesAnimations) }
}

extension OutputFormat {
    /// The format that a file name's extension means; nil for one that is not known.
    init?(extension text: String) {
        guard let format = ImageCodecs.format(forFileExtension: text) else { return nil }
        self.init(imageFormat: format)
    }

    /// The format of a file's bytes; nil for one that is not known.
    init?(of bytes: Data) {
        guard let format = ImageCodecs.codec(for: bytes)?.format else { return nil }
        self.init(imageFormat: format)
    }
}

extension OutputFormat: ExpressibleByArgument {
    /// By name, or by what file names end in: `jpeg` and `jpg` are one.
    init?(argument: String) {
        guard let format = Self.all.first(where: { $0.name == argument }) ?? Self(extension: argument)
        else { return nil }
        self = format
    }

    static var allValueStrings: [String] { all.map(\.name) }
}
