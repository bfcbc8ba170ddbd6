import Foundation
import Kingfisher

/// A request for a thumbnail: `/thumbnail?url=https://example.com/photo.jpg&width=300&height=200`.
struct ThumbnailRequest: Equatable {
    /// The maximum side of a thumbnail in pixels.
    static let longestSide = 2_048

    let source: URL
    let size: CGSize

    /// Nil if a parameter is missing or malformed. Only `http` and `https` URLs with a host are accepted. If
    /// a parameter is repeated, the first value is used.
    init?(query: some Sequence<(name: String, value: String)>) {
        let values = Dictionary(query.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        guard let source = values["url"].flatMap(URL.init(string:)), let host = source.host, !host.isEmpty,
            ["http", "https"].contains(source.scheme?.lowercased()),
            let width = Self.side(values["width"]), let height = Self.side(values["height"])
        else { return nil }
        self.source = source
        size = CGSize(width: width, height: height)
    }

    private static func side(_ text: String?) -> Int? {
        text.flatMap { Int($0) }.flatMap { (1...longestSide).contains($0) ? $0 : nil }
    }
}
