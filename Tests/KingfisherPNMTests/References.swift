import Foundation
import KingfisherPNM
import KingfisherTestSupport
import TestHelpers

/// The fixtures and their references (`Tests/Fixtures/generate/netpbm.py`).
enum References {
    static let names = ["pbm", "pgm", "ppm", "pam"].flatMap { Fixtures.names(in: "PNM", withExtension: $0) }

    /// The samples by pamdepth, with the channels of the file.
    static func samples(of name: String, depth: PixelFormat.Depth) throws -> [Int] {
        let data = try Fixtures.data(named: name + ".samples")
        switch depth {
        case .eight: return data.map { Int($0) }
        case .sixteen:
            return stride(from: 0, to: data.count, by: 2).map { Int(data[$0]) | Int(data[$0 + 1]) << 8 }
        }
    }
}

extension PNMCodec {
    /// The error of decoding the file; nil if there is an image.
    func refusal(_ text: String, _ bytes: [UInt8] = []) -> ImageCodecError? {
        failure(of: Data(text.utf8) + bytes)
    }
}
