import Foundation
import Kingfisher
import KingfisherImage
import KingfisherStorage
import KingfisherTestSupport
import KingfisherTransport
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

/// Notes on which threads a transport reports.
private final class ProbeTransport: Transport {
    let marks = Marks()
    private let transport = CurlTransport()

    func start(_ request: TransportRequest, handler: any TransportHandler) -> any TransportTask {
        transport.start(request, handler: Handler(handler, marks))
    }

    func invalidate() { transport.invalidate() }

    private final class Handler: TransportHandler {
        private let handler: any TransportHandler
        private let marks: Marks

        init(_ handler: any TransportHandler, _ marks: Marks) {
            self.handler = handler
            self.marks = marks
        }

        func transfer(_ task: any TransportTask, head: TransportResponse) -> HeadDecision {
            marks.note()
            return handler.transfer(task, head: head)
        }

        func transfer(_ task: any TransportTask, body: UnsafeRawBufferPointer) -> Bool {
            marks.note()
            return handler.transfer(task, body: body)
        }

        func transfer(_ task: any TransportTask, finished result: Result<TransportMetrics, TransportError>) {
            marks.note()
            handler.transfer(task, finished: result)
        }
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
    private let network = ProbeTransport()
    private let manager: KingfisherManager
    private let disk = Marks()

    init(filtersNames: Bool = false) throws {
        folder = try TemporaryFolder()
        server = try LoopbackServer { [file = codec.file] _ in .ok(file) }
        url = server.url("/probe")
        let system = FileSystem { [disk] _, _ in
            disk.note()
            return 0
        }
        var config = DiskStorage.Config(name: "threads", sizeLimit: 0, directory: folder.url)
        config.filtersNames = filtersNames
        cache = ImageCache(
            memoryStorage: MemoryStorage.Backend(config: .init(totalCostLimit: 1 << 20)),
            diskStorage: try DiskStorage.Backend(
                config: config, fileSystem: system, clock: WallClock()))
        manager = KingfisherManager(
            downloader: ImageDownloader(name: "threads", transport: network), cache: cache)
    }

    deinit {
        codec.retire()
        server.stop()
    }

    /// Waits until the disk has been left alone for a while: what the cache does on its own in the
    /// background, its first scan above all, is over.
    func settle() async {
        var calm = 0
        _ = await poll {
            calm = disk.take().isEmpty ? calm + 1 : 0
            return calm == 20
        }
    }

    /// Makes a request and blocks the calling thread until it is over, so that nothing else can run there.
    func request(
        from caller: Caller, _ options: KingfisherOptionsInfo, _ source: Source? = nil
    ) async throws -> Observed {
        _ = (codec.marks.take(), disk.take(), network.marks.take())
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
                        decoding: codec.marks.take(), disk: disk.take(), network: network.marks.take()))
            }
        }
    }
}
