import Foundation
import KingfisherCodecSupport
import KingfisherHEIC
import TestHelpers

/// The tools of libheif-examples.
enum Tools {
    static let arePresent = TestTools.arePresent("heif-enc", "heif-convert")

    static func encode(_ image: PixelBuffer, _ arguments: String...) throws -> Data {
        try encode(image, arguments)
    }

    static func encode(_ image: PixelBuffer, _ arguments: [String]) throws -> Data {
        try encode(TestTools.png.encode(image, options: ImageEncodingOptions()), "png", arguments)
    }

    /// Encodes a file that heif-enc reads.
    static func encode(_ file: Data, _ suffix: String, _ arguments: [String]) throws -> Data {
        try TestTools.convert(file, from: suffix, to: "heic") { source, target in
            try TestTools.run("heif-enc", ["-p", "preset=ultrafast"] + arguments + [source, "-o", target])
        }
    }

    static func decode(_ file: Data) throws -> PixelBuffer {
        let png = try TestTools.convert(file, from: "heic", to: "png") { source, target in
            try TestTools.run("heif-convert", [source, target])
        }
        return try TestTools.png.decode(png, minimumSize: nil)
    }
}

func decode(_ file: Data) throws -> PixelBuffer { try HEICCodec().decode(file, minimumSize: nil) }

/// The error of a decode; nil if it succeeds.
func failure(of file: Data) -> ImageCodecError? { HEICCodec().failure(of: file) }
