import Foundation
import KingfisherCodecSupport
import KingfisherTIFF
import TestHelpers

/// The tools of libtiff-tools, and Pillow of python3-pil.
enum Tools {
    static let arePresent = TestTools.arePresent("raw2tiff", "tiffcp", "tiffset", "tiff2rgba")
    static let hasPillow =
        (try? TestTools.run("python3", ["-c", "import PIL"])) != nil && TestTools.arePresent("python3")

    /// A file of interleaved samples by raw2tiff; `type` is byte, short, float or another of its `-d`.
    static func file(
        _ samples: Data, _ width: Int, _ height: Int, bands: Int, type: String = "byte",
        photometric: String = "rgb"
    ) throws -> Data {
        let options = ["-w", "\(width)", "-l", "\(height)", "-b", "\(bands)", "-d", type, "-p", photometric]
        return try TestTools.convert(samples, from: "raw", to: "tif") { source, target in
            try TestTools.run("raw2tiff", options + [source, target])
        }
    }

    /// The file as tiffcp, or another tool of libtiff, writes it again.
    static func convert(_ file: Data, by tool: String = "tiffcp", _ arguments: [String]) throws -> Data {
        try TestTools.convert(file, from: "tif", to: "tif") { source, target in
            try TestTools.run(tool, arguments + [source, target])
        }
    }

    /// A file with the pages of `files`.
    static func joined(_ files: [Data]) throws -> Data {
        try TestTools.inFolder { folder in
            let names = try files.enumerated().map { number, file in
                let name = folder.appendingPathComponent("\(number).tif")
                try file.write(to: name)
                return name.path
            }
            let target = folder.appendingPathComponent("result.tif")
            try TestTools.run("tiffcp", names + [target.path])
            return try Data(contentsOf: target)
        }
    }

    /// Sets a field by tiffset, which wants the number of values first for some.
    static func set(_ tag: Int, _ values: Int..., in file: Data) throws -> Data {
        try TestTools.inFolder { folder in
            let source = folder.appendingPathComponent("source.tif")
            try file.write(to: source)
            try TestTools.run("tiffset", ["-s", "\(tag)"] + values.map { "\($0)" } + [source.path])
            return try Data(contentsOf: source)
        }
    }

    /// Runs a script of Python with Pillow, which reads `sys.argv[1]` and writes `sys.argv[2]`.
    static func pillow(_ script: String, _ file: Data = Data()) throws -> Data {
        try TestTools.convert(file, from: "tif", to: "data") { source, target in
            try TestTools.run(
                "python3", ["-c", "import sys\nfrom PIL import Image\n\(script)", source, target])
        }
    }

    /// RGBA of 8 bits by Pillow.
    static func decodeByPillow(_ file: Data) throws -> [Int] {
        try pillow(
            "open(sys.argv[2], 'wb').write(Image.open(sys.argv[1]).convert('RGBA').tobytes())", file
        ).map { Int($0) }
    }
}

/// Interleaved samples, of which each channel differs along both axes.
func samples(_ width: Int, _ height: Int, _ channels: Int, maximum: Int = 255) -> [Int] {
    (0..<width * height * channels).map { index in
        let (pixel, channel) = (index / channels, index % channels)
        let (x, y) = (pixel % width, pixel / width)
        switch channel {
        case 0: return x * maximum / (width - 1)
        case 1: return y * maximum / (height - 1)
        case 2: return (x * 2 + y) % 40 * maximum / 40
        default: return (x + y) * maximum / (width + height - 2)
        }
    }
}

func bytes<Sample>(_ values: [Sample]) -> Data { values.withUnsafeBytes { Data($0) } }

func decode(_ file: Data, page: Int = 0) throws -> PixelBuffer {
    try TIFFCodec(page: page).decode(file, minimumSize: nil)
}

/// The samples of all pixels in order.
func values(_ pixels: PixelBuffer) -> [Int] { pixels.allSamples }

/// The error of a decode; nil if it succeeds.
func failure(of file: Data) -> ImageCodecError? { TIFFCodec().failure(of: file) }

extension [Int] {
    /// RGB samples as opaque RGBA.
    func opaque(_ maximum: Int = 255) -> [Int] {
        stride(from: 0, to: count, by: 3).flatMap { self[$0..<$0 + 3] + [maximum] }
    }

    func distance(to other: [Int]) -> Int? {
        guard count == other.count else { return nil }
        return zip(self, other).reduce(0) { Swift.max($0, abs($1.0 - $1.1)) }
    }
}
