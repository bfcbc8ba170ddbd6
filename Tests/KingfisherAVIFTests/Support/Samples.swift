import Foundation
import KingfisherAVIF
import KingfisherCodecSupport
import TestHelpers
import Testing

extension Data {
    /// Gives the property of a type that the file has to its second item, alpha, instead of the number of
    /// channels (`pixi`), without which alpha is read as well.
    func givingAlpha(_ type: String) throws -> Data {
        var place = try #require(firstRange(of: Data("ipco".utf8))).upperBound
        var number = UInt8(1)
        while self[place + 4..<place + 8] != Data(type.utf8) {
            place += self[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
            try #require(place < count - 8)
            number += 1
        }
        // `ipma` of version 0: items, each with its number and a byte for each property; `pixi` is the
        // second.
        let start = try #require(firstRange(of: Data("ipma".utf8))).upperBound + 8
        var copy = self
        copy[start + 3 + Int(self[start + 2]) + 4] = number | 0x80
        return copy
    }
}

func decode(_ file: Data) throws -> PixelBuffer { try AVIFCodec().decode(file, minimumSize: nil) }

/// The error of a decode; nil if it succeeds.
func failure(of file: Data) -> ImageCodecError? { AVIFCodec().failure(of: file) }
