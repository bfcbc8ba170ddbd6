import Foundation
import Glibc
import Kingfisher
import KingfisherFormats
import KingfisherTestSupport

// Runs one kernel or path for scripts/instructions, which counts the instructions of `countedWork`.

struct Failure: Error, CustomStringConvertible {
    let description: String
}

/// callgrind counts between entry and exit of this function, by its name.
@inline(never)
func countedWork(_ work: () throws -> Void) throws {
    try work()
}

/// Deterministic pixels with detail everywhere.
func photo(_ width: Int, _ height: Int, _ format: PixelFormat = .rgba8Opaque) throws -> PixelBuffer {
    try PixelBuffer(width: width, height: height, format: format) { rows, bytesPerRow in
        var state: UInt64 = 7
        var values = [128, 128, 128]
        for y in 0..<height {
            for x in 0..<width {
                for channel in 0..<3 {
                    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    values[channel] = min(max(values[channel] + Int(state >> 58) - 32, 0), 255)
                    rows[y * bytesPerRow + 4 * x + channel] = UInt8(values[channel])
                }
                rows[y * bytesPerRow + 4 * x + 3] = 255
            }
        }
    }
}

func file(_ format: ImageFormat, side: Int) throws -> Data {
    let pixels = try photo(side, side)
    guard let data = Image(pixels: pixels).kf.data(format: format, compressionQuality: 0.85) else {
        throw Failure(description: "the image was not encoded")
    }
    return data
}

/// A thumbnail by one thread.
func thumbnail(of data: Data, to target: Int) -> () throws -> Void {
    let context = DecodingContext(usesIdleCores: false)
    let size = CGSize(width: target, height: target)
    return {
        let image = context.run {
            KingfisherWrapper<Image>.downsampledImage(data: data, to: size, scale: 1)
        }
        guard image?.pixels?.width == target else { throw Failure(description: "not decoded") }
    }
}

/// The pixels that a step makes of a file, by one thread.
func step(_ text: String, of data: Data) throws -> () throws -> Void {
    let processor = try ProcessingStep(text).processor
    let options = KingfisherParsedOptionsInfo([.decodingContext(DecodingContext(usesIdleCores: false))])
    return {
        guard processor.process(item: .data(data), options: options) != nil else {
            throw Failure(description: "not processed")
        }
    }
}

/// The work of a job, after everything that is not counted.
func work(_ job: String) throws -> () throws -> Void {
    func drawing(_ draw: @escaping (Image) -> Image) throws -> () throws -> Void {
        let image = Image(pixels: try photo(1000, 1000))
        return {
            guard draw(image).pixels !== image.pixels else { throw Failure(description: "not drawn") }
        }
    }
    switch job {
    case "jpeg-eighth": return thumbnail(of: try file(.JPEG, side: 1600), to: 100)
    case "jpeg-quarter": return thumbnail(of: try file(.JPEG, side: 1600), to: 200)
    case "jpeg-half": return thumbnail(of: try file(.JPEG, side: 1600), to: 400)
    case "jpeg-dc": return thumbnail(of: try Fixtures.data(named: "Progressive/photo.jpg"), to: 40)
    case "jpeg-decode", "png-decode":
        let data = try file(job == "jpeg-decode" ? .JPEG : .PNG, side: 600)
        return { _ = try Image.decode(data) }
    case "png-thumb": return thumbnail(of: try file(.PNG, side: 1000), to: 100)
    case "gif-decode":
        let data = try Fixtures.data(named: "Photos/cat.gif")
        return { _ = try Image.decode(data) }
    case "resize": return try drawing { $0.kf.resize(to: CGSize(width: 300, height: 300)) }
    case "enlarge": return try drawing { $0.kf.resize(to: CGSize(width: 1500, height: 1500)) }
    case "blur": return try drawing { $0.kf.blurred(withRadius: 10) }
    case "round-corner": return try drawing { $0.kf.image(withRoundRadius: 50, fit: $0.size) }
    case "blend":
        return try drawing { $0.kf.image(withBlendMode: .multiply, backgroundColor: .red) }
    case "tint": return try drawing { $0.kf.tinted(with: .red) }
    case "memory-get": return try memoryGets()
    case "memory-hit": return try memoryHits()
    case "fit", "cover": return try step("\(job):150x100", of: try file(.JPEG, side: 1600))
    case "webp-thumb", "avif-thumb":
        ImageCodecs.registerAll()
        return thumbnail(
            of: try file(ImageFormat(name: job == "webp-thumb" ? "WEBP" : "AVIF"), side: 800), to: 100)
    case "service-hit": return try serviceHits()
    case "redis-hit": return try redisHits()
    default: throw Failure(description: "unknown job \(job)")
    }
}

let keys = (0..<500).map { "https://images.example.org/albums/\($0)" }

func storedImages() throws -> MemoryStorage.Backend<Image> {
    let memory = MemoryStorage.Backend<Image>(
        config: MemoryStorage.Config(totalCostLimit: 1 << 30, cleanInterval: 120))
    for key in keys { memory.store(value: Image(pixels: try photo(1, 1)), forKey: key) }
    return memory
}

func memoryGets() throws -> () throws -> Void {
    let memory = try storedImages()
    return {
        for key in keys where memory.value(forKey: key) == nil { throw Failure(description: "not found") }
    }
}

func memoryHits() throws -> () throws -> Void {
    let disk = try DiskStorage.Backend<Data>(
        config: DiskStorage.Config(
            name: "instructions", sizeLimit: 0, directory: FileManager.default.temporaryDirectory))
    let manager = KingfisherManager(
        downloader: ImageDownloader(name: "instructions"),
        cache: ImageCache(memoryStorage: try storedImages(), diskStorage: disk))
    let urls = keys.compactMap { URL(string: $0) }
    return {
        for url in urls { manager.retrieveImage(with: url) { _ in } }
    }
}

do {
    let work = try work(CommandLine.arguments.dropFirst().first ?? "")
    // The first run fills pools and caches.
    try work()
    try countedWork(work)
} catch {
    FileHandle.standardError.write(Data("Instructions: \(error)\n".utf8))
    exit(1)
}
