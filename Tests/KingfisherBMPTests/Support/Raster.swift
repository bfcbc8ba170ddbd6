import Foundation
import KingfisherBMP
import KingfisherTestSupport
import TestHelpers

extension PixelBuffer {
    /// Whether no byte differs from `reference` by more than `tolerance`.
    func matches(_ reference: [UInt8], within tolerance: Int = 0) -> Bool {
        let bytes = packedBytes
        return bytes.count == reference.count
            && zip(bytes, reference).allSatisfy { abs(Int($0) - Int($1)) <= tolerance }
    }
}

/// The fixtures and their references (`Tests/Fixtures/generate/bitmaps.py`).
enum References {
    static let bitmaps = Fixtures.names(in: "BMP", withExtension: "bmp")
    static let icons =
        Fixtures.names(in: "ICO", withExtension: "ico") + Fixtures.names(in: "ICO", withExtension: "cur")

    /// The sides of an icon's images that have a reference, in ascending order.
    static func sides(of icon: String) -> [Int] {
        Fixtures.names(in: "ICO", withExtension: "rgba").compactMap { name -> Int? in
            guard name.hasPrefix(icon + ".") else { return nil }
            return Int(name.dropFirst(icon.utf8.count + 1).dropLast(".rgba".utf8.count))
        }.sorted()
    }

    static func pixels(of name: String) throws -> [UInt8] {
        [UInt8](try Fixtures.data(named: name + ".rgba"))
    }
}
