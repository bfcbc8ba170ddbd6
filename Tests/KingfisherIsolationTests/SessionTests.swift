import Foundation
import KingfisherFormats
import KingfisherImage
import KingfisherTestSupport
import Synchronization
import Testing

@testable import KingfisherIsolation

/// The decoder's side without a process: an arena in this one.
@Suite("Isolation: session")
struct SessionTests {
    private let arena = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 64)
    private let png: Data

    init() throws {
        png = try Fixtures.data(named: "Photos/badge.png")
        arena.initializeMemory(as: UInt8.self, repeating: 0)
        png.withUnsafeBytes { arena.copyMemory(from: $0) }
    }

    private func job(
        _ operation: KingfisherIsolation.Operation, format: String = "PNG", count: Int? = nil,
        output: OutputArea = OutputArea(offset: 600_000, count: 400_000)
    ) -> WorkerRequest {
        .perform(
            Job(
                file: JobFile(
                    number: 1, count: count ?? png.count, format: format, limits: ImageLimits()),
                operation: operation, output: output))
    }

    private var session: WorkerSession {
        WorkerSession(codecs: FormatCatalog.codecs, arena: arena)
    }

    @Test("A result that finds too little room is delivered later, once")
    func delivery() throws {
        defer { arena.deallocate() }
        let target = PixelSize(width: 20, height: 10)
        let session = session
        let reply = session.reply(
            to: job(
                .decode(.exactly(target)), output: OutputArea(offset: 0, count: 0)))
        #expect(reply == .needsRoom(count: 128 * 10))
        let room = OutputArea(offset: 700_000, count: 1_280)
        guard case .pixels(let shape) = session.reply(to: .deliver(room)) else {
            Issue.record("not delivered")
            return
        }
        #expect(shape.size == target)
        #expect(session.reply(to: .deliver(room)) == .failure(.corrupt("no result to deliver")))
    }

    @Test("Areas outside of the arena and unknown formats are errors")
    func areas() {
        defer { arena.deallocate() }
        #expect(session.reply(to: job(.open, format: "XYZ")) == .failure(.unknownFormat))
        #expect(
            session.reply(to: job(.open, count: 2 << 20))
                == .failure(.corrupt("the file is outside of the arena")))
        #expect(
            session.reply(to: job(.open, output: OutputArea(offset: 1 << 20, count: 1 << 20)))
                == .failure(.corrupt("the result is outside of the arena")))
        #expect(
            session.reply(to: job(.replaceMetadata(count: 2 << 20)))
                == .failure(.corrupt("the blocks are outside of the arena")))
        #expect(session.reply(to: job(.open, count: 0)) != .number(0))
    }

    /// A codec that counts how often it opens a file.
    private struct CountingCodec: ImageCodec {
        let format = ImageFormat.PNG
        let opened = Counter()

        final class Counter: Sendable {
            let count = Atomic(0)
        }

        func matches(_ bytes: UnsafeRawBufferPointer) -> Bool { true }

        func open(_ file: EncodedFile) throws(ImageCodecError) -> any ImageDecoder {
            opened.count.add(1, ordering: .relaxed)
            return try PNGCodec().open(file)
        }
    }

    @Test("All jobs with one file use one decoder; another number or condition opens it again")
    func opening() {
        defer { arena.deallocate() }
        let codec = CountingCodec()
        let session = WorkerSession(codecs: [codec], arena: arena)
        let target = DecodingTarget.exactly(PixelSize(width: 20, height: 10))
        var file = JobFile(number: 1, count: png.count, format: "PNG", limits: ImageLimits())
        func perform(_ operations: KingfisherIsolation.Operation...) -> Int {
            for operation in operations {
                let output = OutputArea(offset: 600_000, count: 400_000)
                if case .failure(let error) = session.reply(
                    to: .perform(Job(file: file, operation: operation, output: output)))
                {
                    Issue.record("\(operation): \(error)")
                }
            }
            return codec.opened.count.load(ordering: .relaxed)
        }
        #expect(perform(.open, .memory(target), .decode(target), .metadata, .frames, .open) == 1)
        file.number = 2
        #expect(perform(.decode(target), .metadata) == 2)
        file.acceptsPartialImages = true
        #expect(perform(.open, .decode(target)) == 3)
        file.limits.maximumPixels -= 1
        #expect(perform(.open) == 4)
    }
}
