import CHostile
import Foundation
import KingfisherFormats
import KingfisherImage
import KingfisherIsolation

/// Reads files of the form `hostile: ACTION` and runs the action, as code that exploits a decoder would.
struct HostileCodec: CatalogCodec {
    let format = ImageFormat(name: "HOSTILE")
    let opensFonts: Bool
    let sample = Data("hostile: nothing".utf8)

    var fontPaths: [String] { opensFonts ? ["/usr/share/fonts"] : [] }

    func matches(_ bytes: UnsafeRawBufferPointer) -> Bool { bytes.starts(with: Array("hostile:".utf8)) }

    func open(_ file: EncodedFile) throws(ImageCodecError) -> any ImageDecoder {
        HostileFile(String(decoding: file.data, as: UTF8.self))
    }
}

struct HostileFile: ImageDecoder {
    private let action: String
    let header: ImageHeader

    init(_ text: String) {
        action = String(text.dropFirst("hostile: ".count).prefix { $0 != "#" })
        header = Self.header(action)
    }

    private static func header(_ action: String) -> ImageHeader {
        switch action {
        case "lying header":
            answer(.bytes(count: .max))
            return ImageHeader(size: size(4, 4))
        case "huge header": return ImageHeader(size: PixelSize(width: 1, height: 1 << 31))
        case "empty header": return ImageHeader(size: PixelSize(width: 0, height: -1))
        case "frames header": return animation(size(1, 1), frames: 20_000)
        case "frames": return animation(size(4, 4), frames: 3)
        case "frames of one": return animation(size(4, 4), frames: 1)
        case "frames of another canvas": return animation(size(10, 10), frames: 3)
        case "another header":
            headers += 1
            return ImageHeader(size: headers == 1 ? size(10, 10) : huge)
        case "small header", "small header, room": return ImageHeader(size: size(10, 10))
        case "flat header": return ImageHeader(size: size(64, 64))
        case "needs twice": return ImageHeader(size: size(8_000, 8_000))
        case "cheap": return ImageHeader(size: size(600, 600))
        case "rewrite": return ImageHeader(size: size(500, 500))
        default: return ImageHeader(size: size(4, 4))
        }
    }

    private static let huge = PixelSize(width: 10_000, height: 9_000)
    nonisolated(unsafe) private static var headers = 0  // The process has one thread.

    private static func animation(_ size: PixelSize, frames: Int) -> ImageHeader {
        var header = ImageHeader(size: size)
        header.timing = AnimationTiming(durations: Array(repeating: 0.1, count: frames))
        return header
    }

    func memory(for target: DecodingTarget) -> Int { -1 }

    func decode(_ target: DecodingTarget) throws(ImageCodecError) -> PixelBuffer {
        if hostile_act(action) == 0 { throw .corrupt("it was allowed: \(action)") }
        switch action {
        case "small header", "another header": answer(.pixels(shape(20, 10)))
        case "small header, room": answer(.needsRoom(count: 90 << 20))
        case "flat header":
            let format = PixelFormat(layout: .rgba, depth: .sixteen, alpha: .opaque)
            answer(
                .pixels(PixelShape(size: size(64, 64), format: format, extent: PixelExtent(size(64, 64)))))
        case "rows": answer(.pixels(shape(1, 1 << 31)))
        case "columns": answer(.pixels(shape(.max, .max)))
        case "outside": answer(.pixels(shape(1 << 13, 1 << 13)))
        case "extent":
            answer(
                .pixels(
                    PixelShape(size: size(4, 4), format: .gray8, extent: PixelExtent(width: 9, height: 4))))
        case "needs": answer(.needsRoom(count: .max))
        case "needs twice":
            answer(.needsRoom(count: 200 << 20))
            answer(.needsRoom(count: 300 << 20))
        case "bytes": answer(.bytes(count: 4))
        case "ready": answer(.ready(DecoderReport(lockDown: [], formats: [])))
        case "garbage": hostile_send("garbage", 7)
        case "long": hostile_send([UInt8](repeating: 1, count: 100_000), 100_000)
        case "rewrite":
            answer(.pixels(shape(500, 500)))
            hostile_rewrite_arena()
        case "allocate":
            do { _ = try PixelBuffer(width: 50_000, height: 50_000, format: .rgba8Opaque) { _, _ in } } catch
            {
                throw .outOfMemory
            }
        default: break
        }
        return try PixelBuffer.decoding(size(4, 4), format: .gray8, zeroed: true) { _, _ in }
    }

    func frames() throws(ImageCodecError) -> (any ImageFrameSource)? {
        action.hasPrefix("frames") ? GrowingFrames() : nil
    }
}

private func size(_ width: Int, _ height: Int) -> PixelSize { PixelSize(width: width, height: height) }

private func shape(_ width: Int, _ height: Int) -> PixelShape {
    let size = size(width, height)
    return PixelShape(size: size, format: .gray8, extent: PixelExtent(size))
}

/// Sends a reply that is not true, before the one that is.
private func answer(_ reply: WorkerReply) {
    let message = reply.message
    hostile_send(message, message.count)
}

/// Frames that become larger.
struct GrowingFrames: ImageFrameSource {
    let data: Data? = nil
    let frameCount = 3

    func frame(at index: Int, maxSize: CGSize?) -> PixelBuffer? {
        try? PixelBuffer(width: 4 + index, height: 4, format: .gray8, zeroed: true) { _, _ in }
    }

    func duration(at index: Int) -> TimeInterval { 0.1 }

    func copy() -> GrowingFrames { self }
}

/// Decodes no video, but misuses the messages about its bytes, or does worse.
struct HostileVideo: VideoDecoder {
    func prepare() -> (codecs: [String], missing: String?) { (["hostile"], nil) }

    func frame(_ job: VideoJob, from bytes: any VideoBytes) throws(ImageCodecError) -> PixelBuffer {
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 1)
        defer { room.deallocate() }
        switch job.seconds {
        case 1: answer(.needsBytes(offset: job.count, count: 1))
        case 2: answer(.needsBytes(offset: 0, count: VideoJob.windowCount + 1))
        case 3: answer(.needsBytes(offset: .max, count: .max))
        case 4: while true { _ = bytes.read(into: room, at: 0) }
        case 5: answer(.pixels(shape(20_000, 20_000)))
        case 6: answer(.needsRoom(count: .max))
        case 7: answer(.ready(DecoderReport(lockDown: [], formats: [])))
        case 8: abort()
        case 9: while true {}
        case 10: answer(.number(1))
        default: break
        }
        return try PixelBuffer.decoding(size(4, 4), format: .gray8, zeroed: true) { _, _ in }
    }
}

hostile_prepare()
let codecs = FormatCatalog.codecs + [HostileCodec(opensFonts: false), HostileCodec(opensFonts: true)]
// As in release builds, also for the formats that do no harm.
exit(
    JPEGBaselineDecoder.$isOptimized.withValue(true) {
        WorkerMain.run(
            codecs, video: HostileVideo(), arguments: Array(CommandLine.arguments.dropFirst(2)))
    })
