import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

/// Hashes that `Tests/Fixtures/generate/placeholders.py` stores, as the reference implementations make them.
struct PlaceholderReference: Decodable {
    struct Entry: Decodable, Sendable, CustomTestStringConvertible {
        let name: String
        let blur: Blur?
        let thumb: Thumb

        var testDescription: String { name }

        var image: Image {
            get throws {
                let data = try Fixtures.data(named: "Placeholders/\(name).png")
                return Image(pixels: try PNGCodec().decode(data, minimumSize: nil))
            }
        }

        /// The bytes that the reference decodes.
        func decoded(_ suffix: String) throws -> [Int] {
            try Fixtures.data(named: "Placeholders/\(name).\(suffix)").map(Int.init)
        }
    }

    struct Blur: Decodable, Sendable {
        struct Hash: Decodable, Sendable {
            let x: Int
            let y: Int
            let hash: String
        }

        let hashes: [Hash]
        let width: Int
        let height: Int
        let punch: Double
    }

    struct Thumb: Decodable, Sendable {
        let hash: String
        let side: Int
        let width: Int
        let height: Int
    }

    struct Photo: Decodable, Sendable {
        let name: String
        let blur: String
        let thumb: String
    }

    let images: [Entry]
    let photos: [Photo]

    /// Empty if the file is missing; a test checks the number of images.
    static let stored: PlaceholderReference? = {
        guard let data = try? Fixtures.data(named: "Placeholders/hashes.json") else { return nil }
        return try? JSONDecoder().decode(Self.self, from: data)
    }()

    static let all = stored?.images ?? []

    static func image(_ name: String) throws -> Image {
        try #require(all.first { $0.name == name }).image
    }

    static let small = all.filter { $0.blur != nil }
}
