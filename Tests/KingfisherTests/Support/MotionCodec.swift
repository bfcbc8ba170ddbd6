import Foundation
import Kingfisher
import TestHelpers

/// An animated test format: "KFMOTION", then width, height, loop count and frame count, then milliseconds and
/// RGBA pixels of each frame. A frame whose milliseconds have the bit `broken` cannot be decoded.
struct MotionCodec: ImageCodec {
    static let broken: UInt32 = 1 << 31
    private static let magic = Data("KFMOTION".utf8)

    var format: ImageFormat { ImageFormat(name: "MOTION") }

    /// Registers the format once.
    static let shared: MotionCodec = {
        ImageCodecs.register(MotionCodec())
        return MotionCodec()
    }()

    /// A file of 8 x 6 pixels with one grey for each frame.
    static func file(
        _ greys: [UInt8], milliseconds: [UInt32], loopCount: UInt32 = 0, width: UInt32 = 8, height: UInt32 = 6
    ) -> Data {
        var data = shared.head(width, height, loopCount, UInt32(greys.count))
        for (grey, time) in zip(greys, milliseconds) {
            data.append(time)
            data += (0..<width * height).flatMap { _ in [grey, grey, grey, 255] }
        }
        return data
    }

    private func head(_ numbers: UInt32...) -> Data {
        var data = Self.magic
        for number in numbers { data.append(number) }
        return data
    }

    func matches(_ bytes: UnsafeRawBufferPointer) -> Bool { bytes.starts(with: Self.magic) }

    func open(_ file: EncodedFile) throws(ImageCodecError) -> any ImageDecoder {
        let frames = try MotionFrames(file.data)
        var header = ImageHeader(size: frames.size)
        if frames.frameCount > 1 {
            header.timing = AnimationTiming(
                durations: (0..<frames.frameCount).map(frames.duration(at:)), loopCount: frames.loopCount)
        }
        return TestDecoder(
            header,
            frames: { () throws(ImageCodecError) in frames.frameCount > 1 ? frames.copy() : nil }
        ) { _ throws(ImageCodecError) in
            guard let first = frames.frame(at: 0) else { throw .corrupt("no first frame") }
            return first
        }
    }

    func encode(_ pixels: PixelBuffer, options: ImageEncodingOptions) throws(ImageCodecError) -> Data {
        var data = head(UInt32(pixels.width), UInt32(pixels.height), 0, 1)
        data.append(0)
        return data + (try rows(of: pixels))
    }

    func encode(
        _ frames: any ImageFrameSource, options: ImageEncodingOptions
    ) throws(ImageCodecError) -> Data? {
        guard let first = frames.frame(at: 0) else { throw .emptyImage }
        var data = head(
            UInt32(first.width), UInt32(first.height), UInt32(frames.loopCount), UInt32(frames.frameCount))
        for index in 0..<frames.frameCount {
            guard let pixels = frames.frame(at: index), pixels.size == first.size else {
                throw .corrupt("frame \(index)")
            }
            data.append(UInt32((frames.duration(at: index) * 1000).rounded()))
            data += try rows(of: pixels)
        }
        return data
    }

    private func rows(of pixels: PixelBuffer) throws(ImageCodecError) -> Data {
        var data = Data()
        for y in 0..<pixels.height {
            for x in 0..<pixels.width {
                guard let samples = pixels.samples(x: x, y: y), samples.count == 4 else {
                    throw .unsupported("\(pixels.format)")
                }
                data += samples.map { UInt8(clamping: $0) }
            }
        }
        return data
    }
}

/// A class, so that views share the frames of one image.
private final class MotionFrames: ImageFrameSource {
    private let bytes: Data
    let size: PixelSize
    let frameCount: Int
    let loopCount: Int

    init(_ bytes: Data) throws(ImageCodecError) {
        self.bytes = bytes
        guard bytes.count >= 24 else { throw .truncated }
        size = PixelSize(width: bytes.number(at: 8), height: bytes.number(at: 12))
        loopCount = bytes.number(at: 16)
        frameCount = bytes.number(at: 20)
        guard bytes.count == 24 + frameCount * (4 + size.area * 4) else { throw .truncated }
    }

    var data: Data? { bytes }

    private func offset(_ index: Int) -> Int { 24 + index * (4 + size.area * 4) }

    func frame(at index: Int, maxSize: CGSize?) -> PixelBuffer? {
        guard (0..<frameCount).contains(index), bytes.number(at: offset(index)) < Int(MotionCodec.broken)
        else { return nil }
        let start = offset(index) + 4
        let pixels = try? PixelBuffer(width: size.width, height: size.height, format: .rgba8Opaque) {
            [bytes, size] rows, stride in
            for y in 0..<size.height {
                let row = bytes[start + y * size.width * 4..<start + (y + 1) * size.width * 4]
                UnsafeMutableRawBufferPointer(rebasing: rows[(y * stride)...]).copyBytes(from: row)
            }
        }
        guard let maxSize, let pixels else { return pixels }
        return Image(pixels: pixels).kf.resize(to: maxSize, for: .aspectFit).pixels
    }

    func duration(at index: Int) -> TimeInterval {
        (0..<frameCount).contains(index)
            ? Double(bytes.number(at: offset(index)) % Int(MotionCodec.broken)) / 1000 : 0
    }

    func copy() -> MotionFrames {
        (try? MotionFrames(bytes)) ?? self
    }
}

extension Data {
    fileprivate mutating func append(_ number: UInt32) {
        append(contentsOf: (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) })
    }

    fileprivate func number(at offset: Int) -> Int {
        (0..<4).reduce(0) { $0 | Int(self[startIndex + offset + $1]) << ($1 * 8) }
    }
}
