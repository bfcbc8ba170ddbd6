import CWebP
import Foundation
import Kingfisher
import Testing

/// Files written and read by libwebp itself, independently of this library.
enum Libwebp {
    /// The RGBA samples of a still, not premultiplied, without row padding.
    static func samples(_ file: Data) throws -> [UInt8] {
        try file.withUnsafeBytes { bytes in
            var (width, height) = (Int32(0), Int32(0))
            let input = bytes.bindMemory(to: UInt8.self).baseAddress
            let samples = try #require(WebPDecodeRGBA(input, bytes.count, &width, &height))
            defer { WebPFree(samples) }
            return Array(UnsafeBufferPointer(start: samples, count: Int(width * height) * 4))
        }
    }

    static func isLossless(_ file: Data) throws -> Bool {
        try file.withUnsafeBytes { bytes in
            var features = WebPBitstreamFeatures()
            let input = bytes.bindMemory(to: UInt8.self).baseAddress
            try #require(WebPGetFeatures(input, bytes.count, &features) == VP8_STATUS_OK)
            return features.format == 2
        }
    }

    static func still(
        _ samples: [UInt8], width: Int, isLossless: Bool = true, quality: Float = 80
    ) throws -> Data {
        var output: UnsafeMutablePointer<UInt8>?
        let (columns, rows) = (Int32(width), Int32(samples.count / width / 4))
        let count =
            isLossless
            ? WebPEncodeLosslessRGBA(samples, columns, rows, columns * 4, &output)
            : WebPEncodeRGBA(samples, columns, rows, columns * 4, quality, &output)
        defer { WebPFree(output) }
        return Data(UnsafeBufferPointer(start: try #require(output), count: count))
    }
}

extension Libwebp {
    struct Animation {
        var width = 0
        var loopCount = 0
        /// The composed frames, in the form of `samples`.
        var frames: [[UInt8]] = []
        /// Milliseconds.
        var delays: [Int] = []
        /// The sizes of the stored frame areas.
        var parts: [PixelSize] = []
        var areBlended: [Bool] = []
        var areLossless: [Bool] = []
    }

    static func animation(_ file: Data) throws -> Animation {
        var animation = Animation()
        try file.withUnsafeBytes { bytes in
            var data = WebPData(bytes: bytes.bindMemory(to: UInt8.self).baseAddress, size: bytes.count)
            let decoder = try #require(WebPAnimDecoderNew(&data, nil))
            defer { WebPAnimDecoderDelete(decoder) }
            var info = WebPAnimInfo()
            try #require(WebPAnimDecoderGetInfo(decoder, &info) != 0)
            (animation.width, animation.loopCount) = (Int(info.canvas_width), Int(info.loop_count))
            while WebPAnimDecoderHasMoreFrames(decoder) != 0 {
                var samples: UnsafeMutablePointer<UInt8>?
                var end = Int32(0)
                try #require(WebPAnimDecoderGetNext(decoder, &samples, &end) != 0)
                let count = Int(info.canvas_width * info.canvas_height) * 4
                animation.frames.append(Array(UnsafeBufferPointer(start: samples, count: count)))
            }
            var part = WebPIterator()
            try #require(WebPDemuxGetFrame(WebPAnimDecoderGetDemuxer(decoder), 1, &part) != 0)
            defer { WebPDemuxReleaseIterator(&part) }
            repeat {
                var features = WebPBitstreamFeatures()
                let status = WebPGetFeatures(part.fragment.bytes, part.fragment.size, &features)
                try #require(status == VP8_STATUS_OK)
                animation.delays.append(Int(part.duration))
                animation.parts.append(PixelSize(width: Int(part.width), height: Int(part.height)))
                animation.areBlended.append(part.blend_method == WEBP_MUX_BLEND)
                animation.areLossless.append(features.format == 2)
            } while WebPDemuxNextFrame(&part) != 0
        }
        return animation
    }

    /// An animation of different frames; `delays` in milliseconds.
    static func animated(
        _ frames: [[UInt8]], width: Int, delays: [Int], loopCount: Int = 0, isLossless: Bool = true
    ) throws -> Data {
        let height = frames[0].count / width / 4
        var options = WebPAnimEncoderOptions()
        try #require(WebPAnimEncoderOptionsInit(&options) != 0)
        options.anim_params.loop_count = Int32(loopCount)
        let encoder = try #require(WebPAnimEncoderNew(Int32(width), Int32(height), &options))
        defer { WebPAnimEncoderDelete(encoder) }
        var config = WebPConfig()
        try #require(WebPConfigInit(&config) != 0)
        config.lossless = isLossless ? 1 : 0
        var time = 0
        for (samples, delay) in zip(frames, delays) {
            var image = WebPPicture()
            try #require(WebPPictureInit(&image) != 0)
            defer { WebPPictureFree(&image) }
            (image.use_argb, image.width, image.height) = (1, Int32(width), Int32(height))
            try #require(WebPPictureImportRGBA(&image, samples, Int32(width * 4)) != 0)
            try #require(WebPAnimEncoderAdd(encoder, &image, Int32(time), &config) != 0)
            time += delay
        }
        try #require(WebPAnimEncoderAdd(encoder, nil, Int32(time), nil) != 0)
        var file = WebPData()
        try #require(WebPAnimEncoderAssemble(encoder, &file) != 0)
        defer { WebPDataClear(&file) }
        return Data(UnsafeBufferPointer(start: file.bytes, count: file.size))
    }
}
