import Foundation
import Kingfisher
import KingfisherImage
import KingfisherStorage
import KingfisherTestSupport
import Synchronization
import Testing

/// The threads on which something ran.
final class Marks: Sendable {
    private let marks = Mutex<[ThreadMark]>([])

    func note() { marks.withLock { $0.append(.current) } }

    /// What was noted since the last call.
    func take() -> [ThreadMark] {
        marks.withLock { marks in
            defer { marks = [] }
            return marks
        }
    }
}

/// A format of its own for each value, so that tests that run at the same time do not hear of each other.
final class ProbeCodec: ImageCodec {
    let format: ImageFormat
    /// A file of the format.
    let file: Data
    let marks = Marks()

    init() {
        let name = "probe-\(UUID().uuidString)"
        format = ImageFormat(name: name)
        file = Data(name.utf8)
        ImageCodecs.register(self)
    }

    /// Forgets the format.
    func retire() { ImageCodecs.unregister(format) }

    func matches(_ prefix: UnsafeRawBufferPointer) -> Bool { prefix.starts(with: file.prefix(prefix.count)) }

    func header(of data: Data) throws(ImageCodecError) -> ImageHeader {
        ImageHeader(size: PixelSize(width: 2, height: 2))
    }

    func decode(_ data: Data, minimumSize: PixelSize?) throws(ImageCodecError) -> PixelBuffer {
        marks.note()
        do {
            return try PixelBuffer(width: 2, height: 2, format: .rgba8Opaque, zeroed: true) { _, _ in }
        } catch {
            throw .corrupt("\(error)")
        }
    }
}

/// Notes the transport's threads.
private final class NetworkProbe: ImageDownloaderDelegate, Sendable {
    let marks = Marks()

    func isValidStatusCode(_ code: Int, for downloader: ImageDownloader) -> Bool {
        marks.note()
        return code == 200
    }

    func imageDownloader(_ downloader: ImageDownloader, didDownload data: Data, for url: URL) -> Data? {
        marks.note()
        return data
    }
}

/// A manager whose codec, file system and network say which thread they ran on.
final class ThreadRig: Sendable {
    /// What ran where during one request.
    struct Observed: Sendable {
        var caller: ThreadMark
        var succeeded: Bool
        var decoding: [ThreadMark]
        var disk: [ThreadMark]
        var network: [ThreadMark]
    }

    let codec = ProbeCodec()
    let cache: ImageCache
    let url: URL
    private let folder: TemporaryFolder
    private let server: LoopbackServer
    private let delegate = NetworkProbe()
    private let manager: KingfisherManager
    private let disk = Marks()

    init() throws {
        folder = try TemporaryFolder()
        server = try LoopbackServer { [file = codec.file] _ in .ok(file) }
        url = server.url("/probe")
        let system = FileSystem { [disk] _, _ in
            disk.note()
            return 0
        }
        cache = ImageCache(
            memoryStorage: MemoryStorage.Backend(config: .init(totalCostLimit: 1 << 20)),
            diskStorage: try DiskStorage.Backend(
                config: DiskStorage.Config(name: "threads", sizeLimit: 0, directory: folder.url),
                fileSystem: system, clock: WallClock()))
        let downloader = ImageDownloader(name: "threads")
        downloader.delegate = delegate
        manager = KingfisherManager(downloader: downloader, cache: cache)
    }

    deinit {
        codec.retire()
        server.stop()
    }

    /// Makes a request and blocks the calling thread until it is over, so that nothing else can run there.
    func request(
        from caller: Caller, _ options: KingfisherOptionsInfo, _ source: Source? = nil
    ) async throws -> Observed {
        _ = (codec.marks.take(), disk.take(), delegate.marks.take())
        return try await outcome { done in
            caller.run { [self] in
                let (latch, result) = (Latch(), Inbox<Bool>())
                manager.retrieveImage(
                    with: source ?? .network(url),
                    options: [
                        // What the disk holds is a file of the probe's format.
                        .cacheSerializer(CountingSerializer { [file = codec.file] _, _ in file }),
                        .callbackQueue(.untouch),
                    ] + options
                ) {
                    result.put(reason($0) == nil)
                    latch.open()
                }
                let inTime = latch.wait()
                done(
                    Observed(
                        caller: .current, succeeded: inTime && result.values == [true],
                        decoding: codec.marks.take(), disk: disk.take(), network: delegate.marks.take()))
            }
        }
    }
}
