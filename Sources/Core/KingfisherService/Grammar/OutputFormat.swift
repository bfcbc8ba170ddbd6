import KingfisherImage

/// The formats of results, with their names in URLs.
enum OutputFormat {
    static let all: [(name: String, format: ImageFormat)] =
        ["jpeg", "png", "webp", "avif", "jxl", "gif", "apng"]
        .map { ($0, ImageFormat(name: $0.uppercased())) }

    static let names = all.map(\.name).joined(separator: ", ")

    static func named(_ name: some StringProtocol) -> ImageFormat? {
        all.first { ByteText.areEqual($0.name, name) }?.format
    }

    static func name(of format: ImageFormat) -> String {
        all.first { $0.format == format }?.name ?? format.name.lowercased()
    }
}
