public import Foundation
import KingfisherTestSupport

/// What Pillow says about the gain maps of `Fixtures/GainMaps` (`gain_maps.py`).
public struct GainMapReference: Decodable, Sendable {
    /// A gain map: one level for each pixel, or three.
    public struct Levels: Decodable, Sendable {
        public let size: [Int]
        public let levels: [Int]
        /// Of files only.
        public let forms: [String]?
        public let capacity: Double?
    }

    public let files: [String: Levels]
    /// By the steps, of `ultra-hdr.jpg`.
    public let changes: [String: Levels]

    public static func read() throws -> GainMapReference {
        try JSONDecoder().decode(
            GainMapReference.self, from: Fixtures.data(named: "GainMaps/references.json"))
    }

    public static func file(_ name: String) throws -> Data {
        try Fixtures.data(named: "GainMaps/\(name).jpg")
    }
}
