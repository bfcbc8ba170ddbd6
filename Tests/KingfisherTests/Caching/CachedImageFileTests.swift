import Foundation
import Glibc
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher

/// Cached files that are held open.
@Suite struct CachedImageFileTests {
    private let bench: Bench
    private let key = "key"
    private let png: Data

    init() throws {
        bench = try Bench()
        png = try TestImages.png
    }

    private var cache: ImageCache { bench.cache }

    private func stored(_ data: Data? = nil) async throws -> CachedImageFile {
        try await cache.storeToDisk(data ?? png, forKey: key)
        return try #require(try await cache.openFile(forKey: key))
    }

    private func all(_ chunks: CachedImageFile.Chunks) async throws -> [Data] {
        var all: [Data] = []
        for try await chunk in chunks { all.append(chunk) }
        return all
    }

    private var path: String { cache.cachePath(forKey: key) }

    /// Changes the bytes of the file; its times stay.
    private func rewrite(_ change: (inout Data) -> Void) throws {
        let times = try FileManager.default.attributesOfItem(atPath: path)
        var data = try Data(contentsOf: URL(fileURLWithPath: path))
        change(&data)
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: data)
        try file.close()
        let date = try #require(times[.modificationDate] as? Date)
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
    }

    @Test("An open file has length, media type, date and tag, and its bytes") func properties() async throws {
        let file = try await stored()
        #expect(file.byteCount == png.count && file.mediaType == "image/png" && file.format == .PNG)
        #expect(abs(try #require(file.storedAt).timeIntervalSinceNow) < 60)
        #expect(try file.read(count: .max) == png && file.read(offset: 9, count: 4) == png[9..<13])
        for (offset, count) in [(-1, 5), (0, 0), (0, -1), (png.count, 1), (.max, .max)] {
            #expect(try file.read(offset: offset, count: count).isEmpty)
        }
        #expect(try file.read(offset: png.count - 2, count: 9) == png.suffix(2))
        #expect(try await file.verify())
    }

    @Test("The formats of all codecs are recognized; other files have no media type") func formats()
        async throws
    {
        for (data, type) in [
            (try TestImages.jpeg, "image/jpeg"), (try TestImages.gif, "image/gif"),
            (try TestImages.apng, "image/apng"), (TestImages.garbage, nil),
        ] as [(Data, String?)] {
            #expect(try await stored(data).mediaType == type)
        }
        try await cache.storeToDisk(png, forKey: key)
        let blind = try await DecodingContext(codecs: CodecRegistry()).opening(key, in: cache)
        #expect(blind.mediaType == nil && blind.format == .unknown)
    }

    @Test("Equal files have equal tags, other files have others") func entityTags() async throws {
        let first = try await stored()
        let tag = try #require(first.entityTag)
        #expect(tag.hasPrefix("\"") && tag.hasSuffix("-\(String(png.count, radix: 16))\""))
        #expect(try await stored(TestImages.jpeg).entityTag != tag)
        #expect(try await stored().entityTag == tag)
        let other = try Bench()
        try await other.cache.storeToDisk(png, forKey: "other")
        #expect(try await other.cache.openFile(forKey: "other")?.entityTag == tag)
        // A copy without the extended attribute.
        try FileManager.default.removeItem(atPath: path)
        try png.write(to: URL(fileURLWithPath: path))
        let later = Date(timeIntervalSinceNow: 1_000)
        try FileManager.default.setAttributes([.modificationDate: later], ofItemAtPath: path)
        #expect(try await cache.openFile(forKey: key)?.entityTag == nil)
    }

    @Test("Chunks are the bytes of the file or of a range") func chunks() async throws {
        let file = try await stored()
        let pieces = try await all(file.chunks(of: 10))
        #expect(pieces.dropLast().allSatisfy { $0.count == 10 } && Data(pieces.joined()) == png)
        #expect(try await all(file.chunks()) == [png])
        #expect(try await all(file.chunks(of: 7, range: 5..<19)).joined().elementsEqual(png[5..<19]))
        #expect(try await all(file.chunks(range: 5..<9_999_999)).joined().elementsEqual(png.dropFirst(5)))
        #expect(try await all(file.chunks(range: 9_999_999..<10_000_000)).isEmpty)
        #expect(try await all(file.chunks(of: 0)).count == png.count, "At least a byte at a time")
    }

    @Test("A file that was replaced, removed or cleared stays readable") func outlived() async throws {
        let file = try await stored()
        let jpeg = try TestImages.jpeg
        #expect(try await stored(jpeg).read(count: .max) == jpeg)
        try await cache.removeImage(forKey: key)
        await cache.clearDiskCache()
        #expect(try await cache.openFile(forKey: key) == nil)
        #expect(try await Data(all(file.chunks(of: 9)).joined()) == png)
        #expect(try Data(contentsOf: file.fileURL) == png)
    }

    @Test("The file URL and the descriptor read the file while the object lives") func fileURL() async throws
    {
        let file = try await stored()
        #expect(try Data(contentsOf: file.fileURL) == png)
        var room = [UInt8](repeating: 0, count: 5)
        #expect(file.withFileDescriptor { pread($0, &room, 5, 1) } == 5 && Data(room) == png[1..<6])
        #expect(file.withFileDescriptor { write($0, room, 5) } == -1, "The descriptor is read-only")
    }

    @Test("A response has the data of the file; only GET has ranges") func response() async throws {
        let file = try await stored()
        let tag = try #require(file.entityTag)
        let range = ["Range": "bytes=1-2", "If-Range": tag]
        let part = file.response { range[$0] }
        #expect(part.status == 206 && part.range == 1..<3)
        #expect(part.headers["Content-Range"] == "bytes 1-2/\(png.count)")
        #expect(part.headers["ETag"] == tag && part.headers["Content-Type"] == "image/png")
        let whole = file.response(to: "HEAD") { range[$0] }
        #expect(whole.status == 200 && whole.range == 0..<png.count)
        #expect(file.response(to: "HEAD") { ["If-None-Match": tag][$0] }.status == 304)
    }

    @Test("An absent or expired file, a folder and a file of the wrong length are misses") func misses()
        async throws
    {
        #expect(try await cache.openFile(forKey: key) == nil)
        try await cache.storeToDisk(png, forKey: key, expiration: .expired)
        #expect(try await cache.openFile(forKey: key) == nil)
        _ = try await stored()
        try rewrite { $0.removeLast() }
        #expect(try await cache.openFile(forKey: key) == nil)
        #expect(!FileManager.default.fileExists(atPath: path))
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(try await cache.openFile(forKey: key) == nil)
    }

    @Test("A link is an error, as it is for a read") func link() async throws {
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/etc/hostname")
        let error = await #expect(throws: KingfisherError.self) { _ = try await cache.openFile(forKey: key) }
        #expect(error?.reasonName == "cannotLoadDataFromDisk")
    }

    @Test("The processor and the extension select the file") func variants() async throws {
        try await cache.storeToDisk(png, forKey: key, processorIdentifier: "p", forcedExtension: "x")
        #expect(try await cache.openFile(forKey: key) == nil)
        #expect(try await cache.openFile(forKey: key, processorIdentifier: "p") == nil)
        let file = try await cache.openFile(forKey: key, processorIdentifier: "p", forcedExtension: "x")
        #expect(file?.byteCount == png.count)
    }

    @Test("Opening moves the expiration as a read does") func expiration() async throws {
        let clock = ManualClock()
        let cache = try ImageCache.make(in: bench.folder, clock: clock)
        try await cache.storeToDisk(png, forKey: key, expiration: .seconds(100))
        clock.advance(by: 60)
        #expect(try await cache.openFile(forKey: key) != nil)
        clock.advance(by: 60)
        #expect(try await cache.openFile(forKey: key, extendingExpiration: .none) != nil)
        clock.advance(by: 60)
        #expect(try await cache.openFile(forKey: key) == nil)
    }

    @Test("A file whose write is pending is opened after the write") func pendingWrite() async throws {
        for number in 0..<20 {
            let data = Data(repeating: UInt8(number), count: 1_000 + number)
            cache.storeToDisk(data, forKey: key) { _ in }
            #expect(try await cache.openFile(forKey: key)?.read(count: .max) == data)
        }
        cache.removeImage(forKey: key) {}
        #expect(try await cache.openFile(forKey: key) == nil)
    }

    @Test("The completion handler runs once, on its queue") func completionHandler() async throws {
        _ = try await stored()
        let queue = MarkedQueue()
        let inbox = Inbox<(Int?, Bool)>()
        cache.openFile(forKey: key, callbackQueue: .dispatch(queue.queue)) {
            inbox.put(((try? $0.get())?.byteCount, queue.isCurrent))
        }
        let (count, isOnQueue) = try await inbox.first()
        #expect(count == png.count && isOnQueue)
    }

    @Test("The last chunk of a damaged file is not delivered, and the file is removed") func damage()
        async throws
    {
        _ = try await stored()
        try rewrite { $0[12] ^= 1 }
        let file = try #require(try await cache.openFile(forKey: key))
        var iterator = file.chunks(of: (png.count + 1) / 2).makeAsyncIterator()
        #expect(try await iterator.next()?.count == (png.count + 1) / 2)
        let error = await #expect(throws: KingfisherError.self) { _ = try await iterator.next() }
        #expect(error?.reasonName == "cannotLoadDataFromDisk")
        #expect(try await iterator.next() == nil)
        #expect(try await !file.verify())
        #expect(try await cache.openFile(forKey: key) == nil)
    }

    @Test("A cancelled task reads no more chunks") func cancellation() async throws {
        let file = try await stored()
        let gate = Gate()
        let task = Task {
            await gate.pass()
            for try await _ in file.chunks() { Issue.record("a chunk") }
        }
        task.cancel()
        gate.open()
        let failure = await task.result.failure as? KingfisherError
        #expect(failure?.reasonName == "asyncTaskContextCancelled")
    }

    @Test("Concurrent readers of several open files get their bytes") func concurrentReaders() async throws {
        let data = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
        let files = [try await stored(data), try #require(try await cache.openFile(forKey: key))]
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for reader in 0..<16 {
                group.addTask {
                    var read = Data()
                    let range = reader * 1_000..<300_000 - reader
                    for try await chunk in files[reader % 2].chunks(of: 8_192 + reader, range: range) {
                        read += chunk
                    }
                    return read == data[range]
                }
            }
            for try await isEqual in group { #expect(isEqual) }
        }
    }

    @Test("A released file closes its descriptor") func descriptors() async throws {
        await #expect(processExitsWith: .success) {
            let bench = try Bench()
            let png = try TestImages.png
            try await bench.cache.storeToDisk(png, forKey: "key")
            _ = try await bench.cache.openFile(forKey: "key")?.read(count: 1)
            let before = ProcessResources()
            var files: [CachedImageFile] = []
            for _ in 0..<20 { files.append(try #require(try await bench.cache.openFile(forKey: "key"))) }
            for file in files { for try await _ in file.chunks(of: 9) {} }
            #expect(ProcessResources().exceeds(before))
            files = []
            #expect(await poll { !ProcessResources().exceeds(before) })
        }
    }
}

extension DecodingContext {
    fileprivate func opening(_ key: String, in cache: ImageCache) async throws -> CachedImageFile {
        let opened: CachedImageFile.Opening = try await outcome { completion in
            run { cache.openFile(forKey: key, completionHandler: completion) }
        }
        return try #require(try opened.get())
    }
}
