import Foundation
import KingfisherTestSupport
import TestHelpers

@testable import KingfisherImage

/// Images that `Tests/Fixtures/generate` stores, with the results of Pillow.
enum DrawingReference {
    static func image(_ name: String) throws -> PixelBuffer {
        try PNGCodec().decode(Fixtures.data(named: "Drawing/\(name).png"), minimumSize: nil)
    }

    static func samples8(_ name: String) throws -> [Int] {
        try Fixtures.data(named: "Drawing/\(name)").map(Int.init)
    }

    static func samples16(_ name: String) throws -> [Int] {
        let bytes = try samples8(name)
        return stride(from: 0, to: bytes.count, by: 2).map { bytes[$0] | bytes[$0 + 1] << 8 }
    }
}
