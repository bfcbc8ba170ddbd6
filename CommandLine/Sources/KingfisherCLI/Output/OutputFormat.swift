import ArgumentParser
import Kingfisher

/// A registered format of `ImageCodecs`.
struct OutputFormat: Hashable, Sendable {
    let imageFormat: ImageFormat

    static let png = OutputFormat(imageFormat: .PNG)
    static let apng = OutputFormat(imageFormat: .APNG)

    /// The formats that can be written.
    static var all: [OutputFormat] {
        ImageCodecs.formats.map { OutputFormat(imageFormat: $0) }
            .filter { !$0.capabilities.isDisjoint(with: [.encodesStills, .encodesAnimations]) }
            .sorted { $0.name < $1.name }
    }

    /// All names as text: `gif, jpeg or png`.
    static var listing: String { names { _ in true } }

    static func names(where condition: (OutputFormat) -> Bool) -> String {
        let names = all.filter(condition).map(\.name)
        guard let last = names.last else { return "no supported format" }
        guard names.count > 1 else { return last }
        return "\(names.dropLast().joined(separator: ", ")) or \(last)"
    }

    /// The name in `-f` and JSON.
    var name: String { imageFormat.name.lowercased() }

    var fileExtension: String { ImageCodecs.codec(for: imageFormat)?.fileExtensions.first ?? name }

    var capabilities: CodecCapabilities {
        ImageCodecs.codec(for: imageFormat)?.capabilities ?? []
    }

    var holdsAnimations: Bool { capabilities.contains(.encodesAnimations) }
}

extension OutputFormat {
    init?(extension text: String) {
        guard let format = ImageCodecs.format(forFileExtension: text) else { return nil }
        self.init(imageFormat: format)
    }

    init?(of bytes: Data) {
        guard let format = ImageCodecs.codec(for: bytes)?.format else { return nil }
        self.init(imageFormat: format)
    }
}

extension OutputFormat: ExpressibleByArgument {
    /// Parses a name or a file extension of a format that can be written: `jpeg` and `jpg` are the same.
    init?(argument: String) {
        let format = Self.all.first { $0.name == argument } ?? Self(extension: argument)
        guard let format, Self.all.contains(format) else { return nil }
        self = format
    }

    static var allValueStrings: [String] { all.map(\.name) }
}
