import DecoderFormats
import Foundation
import KingfisherImage
import KingfisherTestSupport
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
                file: 1, fileCount: count ?? png.count, format: format, operation: operation,
                limits: ImageLimits(), output: output))
    }

    private var session: WorkerSession {
        WorkerSession(codecs: DecoderFormats.all.map(\.codec), arena: arena)
    }

    @Test("A result that finds too little room is delivered later, once")
    func delivery() throws {
        defer { arena.deallocate() }
        let target = PixelSize(width: 20, height: 10)
        let session = session
        let reply = session.reply(
            to: job(
                .decode(.exactly(target), acceptsPartialImages: false),
                output: OutputArea(offset: 0, count: 0)))
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
        let header = KingfisherIsolation.Operation.header(acceptsPartialImages: false)
        #expect(session.reply(to: job(header, format: "XYZ")) == .failure(.unknownFormat))
        #expect(
            session.reply(to: job(header, count: 2 << 20))
                == .failure(.corrupt("the file is outside of the arena")))
        #expect(
            session.reply(to: job(header, output: OutputArea(offset: 1 << 20, count: 1 << 20)))
                == .failure(.corrupt("the result is outside of the arena")))
        #expect(
            session.reply(to: job(.replaceMetadata(count: 2 << 20)))
                == .failure(.corrupt("the blocks are outside of the arena")))
        #expect(session.reply(to: job(header, count: 0)) != .number(0))
    }
}
