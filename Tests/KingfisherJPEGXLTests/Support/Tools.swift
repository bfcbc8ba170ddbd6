import Foundation
import KingfisherCodecSupport
import KingfisherJPEGXL
import TestHelpers
import Testing

/// The format's own tools, from libjxl-tools.
enum Tools {
    static let arePresent = TestTools.arePresent("cjxl", "djxl")

    /// The option of cjxl for noise of ISO 800, which has another name since 0.8.
    static let noise =
        JPEGXLCodec().version.hasPrefix("libjxl 0.7.") ? "--photon_noise=ISO800" : "--photon_noise_iso=800"

    /// Encodes with cjxl: without loss, unless `arguments` say otherwise.
    static func encode(_ image: PixelBuffer, _ arguments: String...) throws -> Data {
        try encode(png(image), "png", arguments)
    }

    static func encode(_ image: PixelBuffer, _ arguments: [String]) throws -> Data {
        try encode(png(image), "png", arguments)
    }

    /// Encodes a file that cjxl reads, such as GIF, APNG, JPEG or PFM.
    static func encode(_ file: Data, _ suffix: String, _ arguments: [String] = []) throws -> Data {
        let loss = arguments.contains("-d") || suffix == "jpg" ? [] : ["-d", "0"]
        return try TestTools.convert(file, from: suffix, to: "jxl") { source, target in
            try TestTools.run(
                "cjxl", [source, target, "-e", "3", "--num_threads=0"] + loss + arguments)
        }
    }

    /// What djxl makes of a file, as a PNG.
    static func decode(_ file: Data, _ arguments: String...) throws -> PixelBuffer {
        let png = try djxl(file, to: "png", ["--num_threads=0"] + arguments)
        return try TestTools.png.decode(png, minimumSize: nil)
    }

    /// The frames that djxl writes as an APNG; nil for a still.
    static func frames(_ file: Data) throws -> (any ImageFrameSource)? {
        let data = try djxl(file, to: "apng")
        return try #require(CodecRegistry.builtIn.codec(for: data)).frameSource(for: data)
    }

    /// The JPEG that djxl restores.
    static func restore(_ file: Data) throws -> Data { try djxl(file, to: "jpg") }

    private static func djxl(_ file: Data, to suffix: String, _ arguments: [String] = []) throws -> Data {
        try TestTools.convert(file, from: "jxl", to: suffix) { source, target in
            try TestTools.run("djxl", [source, target] + arguments)
        }
    }

    static func png(_ image: PixelBuffer) throws -> Data {
        try TestTools.png.encode(image, options: ImageEncodingOptions())
    }

    /// A PAM, whose colour space a hint for cjxl may name.
    static func pam(_ image: PixelBuffer) throws -> Data {
        let channels = image.format.layout == .rgba ? 3 : 1
        let alpha = image.format.isOpaque ? 0 : 1
        let type = (channels == 3 ? "RGB" : "GRAYSCALE") + (alpha > 0 ? "_ALPHA" : "")
        var file = Data(
            "P7\nWIDTH \(image.width)\nHEIGHT \(image.height)\nDEPTH \(channels + alpha)\nMAXVAL 255\n".utf8)
        file += Data("TUPLTYPE \(type)\nENDHDR\n".utf8)
        for y in 0..<image.height {
            for x in 0..<image.width {
                let samples = try #require(image.samples(x: x, y: y))
                file += (samples.prefix(channels) + samples.suffix(alpha)).map { UInt8($0) }
            }
        }
        return file
    }

    static func jpeg(_ image: PixelBuffer) throws -> Data {
        try #require(CodecRegistry.builtIn.codec(for: .JPEG)).encode(
            image, options: ImageEncodingOptions(quality: 0.8))
    }
}
