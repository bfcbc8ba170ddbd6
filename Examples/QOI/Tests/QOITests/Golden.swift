import Foundation
import Kingfisher

/// Files written by Pillow, and their pixels; see `make-golden.py`.
enum Golden {
    static let names = ["rgba", "rgb", "1x1", "black"]

    static func file(_ name: String) throws -> Data { try data("\(name).qoi") }
    static func pixels(_ name: String) throws -> [UInt8] { [UInt8](try data("\(name).rgba")) }

    private static func data(_ name: String) throws -> Data {
        try Data(contentsOf: Bundle.module.bundleURL.appendingPathComponent("Golden/\(name)"))
    }
}

extension PixelBuffer {
    /// The samples of all pixels, row by row.
    var samples: [UInt8] {
        (0..<height).flatMap { y in
            (0..<width).flatMap { x in (samples(x: x, y: y) ?? []).map { UInt8(clamping: $0) } }
        }
    }
}
