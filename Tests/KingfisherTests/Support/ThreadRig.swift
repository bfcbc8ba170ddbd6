import Foundation
import Kingfisher
import KingfisherImage
import KingfisherStorage
import KingfisherTestSupport
import KingfisherTransport
import Synchronization
import TestHelpers
import Testing

/// Records threads.
final class ThreadRecorder: Sendable {
    private let marks = Mutex<[ThreadIdentity]>([])

    func note() { marks.withLock { $0.append(.current) } }

    /// The threads recorded since the last call.
    func take() -> [ThreadIdentity] {
        marks.withLock { marks in
            defer { marks = [] }
            return marks
        }
    }
}

/// A codec with a new format for each instance, so that concurrent tests do not affect each other.
final class ProbeCodec: ImageCodec {
    let format: ImageFormat
    let file: Data
    let marks = ThreadRecorder()

    init() {
        let name = "probe-\(UUID().uuidString)"
        format = ImageFormat(name: name)
        file = Data(name.utf8)
        ImageCodecs.register(self)
    }

    /// Unregisters the format.
    func retire() { ImageCodecs.unregister(format) }

    func matches(_ prefix: UnsafeRawBufferPointer) -> Bool { prefix.starts(with: file.prefix(prefix.count)) }

    func open(_ file: EncodedFile) throws(ImageCodecError) -> any ImageDecoder {
        TestDecoder(2, 2) { [marks] _ throws(ImageCodecError) in
            marks.note()
            return try PixelBuffer.decoding(
                PixelSize(width: 2, height: 2), format: .rgba8Opaque, zeroed: true
            ) { _, _ in }
        }
    }
}

/// Records the threads on which a transport calls its handler.
private final class ProbeTransport: Transport {
    let marks = ThreadRecorder()
    private let transport = CurlTransport()

    func start(_ request: TransportRequest, handler: any TransportHandler) -> any TransportTask {
        transport.start(request, handler: Handler(handler, marks))
    }

    func invalidate() { transport.invalidate() }

    private final class Handler: TransportHandler {
        private let handler: any TransportHandler
        private let marks: ThreadRecorder

        init(_ handler: any TransportHandler, _ marks: ThreadRecorder) {
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

/// A manager whose codec, file system and network record their threads.
final class ThreadRig: Sendable {
    /// The threads of one request, by kind of work.
    struct Observed: Sendable {
        var caller: ThreadIdentity
        var succeeded: Bool
        var decoding: [ThreadIdentity]
        var disk: [ThreadIdentity]
        var network: [ThreadIdentity]
    }

    let codec = ProbeCodec()
    let cache: ImageCache
    let url: URL
    private let folder: TemporaryFolder
    private let server: LoopbackServer
    private let network = ProbeTransport()
    private let manager: KingfisherManager
    private let disk = ThreadRecorder()

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

    /// Waits until the cache has finished its background work on the disk, such as the first scan.
    func settle() async {
        var calm = 0
        _ = await poll {
            calm = disk.take().isEmpty ? calm + 1 : 0
            return calm == 20
        }
    }

    /// Makes a request and blocks the calling thread until it completes, so that no other work runs there.
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
                        // The file on disk has the format of the probe.
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
