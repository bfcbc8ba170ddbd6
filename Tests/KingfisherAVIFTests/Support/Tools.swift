import Foundation
import KingfisherCodecSupport
import TestHelpers

/// The format's own tools, from libavif-bin.
enum Tools {
    static let arePresent = TestTools.arePresent("avifenc", "avifdec")

    /// Encodes frames with avifenc: losslessly coded samples, unless `arguments` say otherwise.
    static func encode(_ frames: [PixelBuffer], _ arguments: String...) throws -> Data {
        try encode(frames, arguments)
    }

    static func encode(_ frames: [PixelBuffer], _ arguments: [String]) throws -> Data {
        try TestTools.inFolder { folder in
            var names: [String] = []
            for (number, frame) in frames.enumerated() {
                let file = folder.appendingPathComponent("\(number).png")
                try TestTools.png.encode(frame, options: ImageEncodingOptions()).write(to: file)
                names.append(file.path)
            }
            let target = folder.appendingPathComponent("result.avif")
            try TestTools.run("avifenc", ["-s", "10"] + arguments + names + [target.path])
            return try Data(contentsOf: target)
        }
    }

    /// `layers` says that the frame is a layer of a progressive still.
    static func decode(_ file: Data, frame: Int = 0, layers: Bool = false) throws -> PixelBuffer {
        let options = (layers ? ["--progressive"] : []) + ["--index", "\(frame)"]
        let png = try TestTools.convert(file, from: "avif", to: "png") { source, target in
            try TestTools.run("avifdec", options + [source, target])
        }
        return try TestTools.png.decode(png, minimumSize: nil)
    }
}
