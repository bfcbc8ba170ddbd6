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
        try TestTools.inFolder { folder in
            let source = folder.appendingPathComponent("source.\(suffix)")
            let target = folder.appendingPathComponent("result.heic")
            try file.write(to: source)
            try TestTools.run(
                "heif-enc", ["-p", "preset=ultrafast"] + arguments + [source.path, "-o", target.path])
            return try Data(contentsOf: target)
        }
    }

    static func decode(_ file: Data) throws -> PixelBuffer {
        try TestTools.inFolder { folder in
            let source = folder.appendingPathComponent("source.heic")
            let target = folder.appendingPathComponent("result.png")
            try file.write(to: source)
            try TestTools.run("heif-convert", [source.path, target.path])
            return try TestTools.png.decode(Data(contentsOf: target), minimumSize: nil)
        }
    }
}

func decode(_ file: Data) throws -> PixelBuffer { try HEICCodec().decode(file, minimumSize: nil) }

/// The error of a decode; nil if it succeeds.
func failure(of file: Data) -> ImageCodecError? {
    do throws(ImageCodecError) {
        _ = try HEICCodec().decode(file, minimumSize: nil)
        return nil
    } catch {
        return error
    }
}
