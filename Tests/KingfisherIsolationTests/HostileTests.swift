import Foundation
import Kingfisher
import KingfisherImage
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherIsolation

/// Code that has taken over a decoder: each attempt ends in its named error, and the next file is decoded.
@Suite("Isolation: hostile decoders", .enabled(if: !ProcessStatus.isSanitized))
struct HostileTests {
    private let pool = DecoderPool.of(Programs.hostile) {
        $0.cpuTimeLimit = .milliseconds(400)
        $0.wallTimeLimit = .seconds(3)
    }

    private var codec: IsolatedCodec { IsolatedCodec(HostileFormat(), pool: pool) }

    private func file(_ action: String) -> Data { Data("hostile: \(action)".utf8) }

    private func decode(_ action: String) -> ImageCodecError? {
        failure { () throws(ImageCodecError) in _ = try codec.decode(file(action), minimumSize: nil) }
    }

    @Test("A library may sort, for which the C library asks for the size of the memory")
    func sorting() {
        #expect(decode("sort") == nil)
    }

    private func expectRecovery() {
        #expect(decode("nothing") == nil)
    }

    @Test(
        "A system call that is not allowed ends the decoder",
        arguments: [
            "open /etc/passwd", "create", "list", "connect", "fork", "exec", "thread", "ptrace", "kill",
            "code",
            "limit",
            "shrink",
            "write", "close",
        ])
    func calls(_ action: String) {
        #expect(decode(action) == .decoderFailed(.forbiddenCall))
        expectRecovery()
    }

    @Test("An endless loop ends after the CPU time", arguments: ["loop"])
    func loop(_ action: String) {
        let start = ContinuousClock.now
        #expect(decode(action) == .decoderFailed(.timedOut))
        #expect(.now - start < .seconds(3 * ProcessStatus.slowness))
        expectRecovery()
    }

    @Test("A decoder that does not reply ends after the wall time")
    func sleep() {
        #expect(decode("sleep") == .decoderFailed(.timedOut))
        expectRecovery()
    }

    @Test("More memory than allowed is an error of that request")
    func memory() {
        #expect(decode("memory") == .decoderFailed(.crashed(signal: 11)))
        #expect(decode("allocate") == .decoderFailed(.memoryLimit))
        expectRecovery()
    }

    @Test("A crash is an error of that request")
    func crash() {
        #expect(decode("abort") == .decoderFailed(.crashed(signal: 6)))
        #expect(decode("exit") == .decoderFailed(.crashed(signal: 0)))
        expectRecovery()
    }

    @Test(
        "A reply that is malformed or not allowed is a violation",
        arguments: [
            "rows", "columns", "outside", "extent", "needs", "needs twice", "bytes", "ready", "garbage",
            "long",
        ])
    func replies(_ action: String) {
        guard case .decoderFailed(.violatedProtocol) = decode(action) else {
            Issue.record("\(action): \(String(describing: decode(action)))")
            return
        }
        expectRecovery()
    }

    @Test("A header above the limits, without size or with too many frames is refused")
    func headers() {
        func error(_ action: String) -> ImageCodecError? {
            failure { () throws(ImageCodecError) in _ = try codec.header(of: file(action)) }
        }
        #expect(error("huge header") == .tooLarge(width: 1, height: 1 << 31))
        for action in ["lying header", "empty header", "frames header"] {
            guard case .decoderFailed(.violatedProtocol) = error(action) else {
                Issue.record("\(action): \(String(describing: error(action)))")
                continue
            }
        }
        expectRecovery()
    }

    @Test("Pixels that change while they are copied are an image; the decoder then ends by its time limit")
    func rewriting() throws {
        let pixels = try codec.decode(file("rewrite"), minimumSize: nil)
        #expect(pixels.size == PixelSize(width: 500, height: 500))
        #expect(decode("nothing#1") == .decoderFailed(.timedOut))
        expectRecovery()
    }

    @Test("Frames that do not have the size of the first are corrupt")
    func frames() throws {
        let source = try #require(try codec.frameSource(for: file("frames")))
        #expect(source.frameCount == 3 && source.frame(at: 0)?.width == 4)
        #expect(source.frame(at: 1) == nil && source.copy().frame(at: 2) == nil)
        #expect(source.frame(at: 0)?.width == 4)
    }

    private func violates(_ body: () throws(ImageCodecError) -> Void) -> Bool {
        guard case .decoderFailed(.violatedProtocol) = failure(body) else { return false }
        return true
    }

    @Test(
        "Pixels of another size or depth than the header's are a violation before memory is taken",
        arguments: ["small header", "small header, room", "flat header"])
    func otherPixels(_ action: String) {
        #expect(
            violates { () throws(ImageCodecError) in _ = try codec.decode(file(action), minimumSize: nil) })
        let small = PixelSize(width: 5, height: 5)
        #expect(
            violates { () throws(ImageCodecError) in
                _ = try codec.decode(file(action + "#small"), minimumSize: small)
            })
        expectRecovery()
    }

    @Test("The header of an opened file stays valid: another one has no effect or is a violation")
    func otherHeaders() throws {
        let context = DecodingContext(codecs: CodecRegistry([codec]))
        let size = CGSize(width: 300, height: 300)
        // Not larger than the target, so it is decoded whole.
        #expect(
            violates { () throws(ImageCodecError) in
                try context.run { () throws(ImageCodecError) in
                    _ = try Image.downsample(file("another header"), to: size, scale: 1)
                }
            })
        expectRecovery()
        // The only process is needed for another file, so the next call opens this one again.
        let decoder = try codec.open(EncodedFile(file("another header#2")))
        #expect(decoder.header.size == PixelSize(width: 10, height: 10))
        expectRecovery()
        #expect(violates { () throws(ImageCodecError) in _ = try decoder.decode(.full) })
        expectRecovery()
    }

    @Test("An animation has at most the frames of its header, and frames of its size")
    func otherFrames() {
        func error(_ action: String) -> ImageCodecError? {
            failure { () throws(ImageCodecError) in _ = try codec.frameSource(for: file(action)) }
        }
        #expect(error("frames of another canvas") == .corrupt("a frame has another size"))
        #expect(
            violates { () throws(ImageCodecError) in _ = try codec.frameSource(for: file("frames of one")) })
        expectRecovery()
    }

    @Test("A load reserves memory for all pixels of header and target, also if the decoder estimates less")
    func reservations() async throws {
        #expect(try codec.decodingMemory(of: file("cheap"), target: nil) == 600 * 2_432)
        let target = PixelSize(width: 16, height: 100)
        #expect(try codec.decodingMemory(of: file("cheap"), target: target) == 6_400)
        let manager = KingfisherManager(
            downloader: ImageDownloader(name: "isolation"), cache: ImageCache(name: "isolation-memory"))
        manager.memoryBudget = 1_000_000
        manager.defaultOptions = [
            .decodingContext(DecodingContext(codecs: CodecRegistry([codec]))), .cacheMemoryOnly,
            .forceRefresh,
        ]
        let provider = RawImageDataProvider(data: file("cheap"), cacheKey: "cheap")
        let error = await #expect(throws: KingfisherError.self) {
            try await manager.retrieveImage(with: .provider(provider))
        }
        #expect(error?.errorCode == 9002)
        // Memory is reserved for 10 x 10 pixels, and the decoder states other ones afterwards.
        let other = RawImageDataProvider(data: file("another header#manager"), cacheKey: "other")
        await #expect(throws: KingfisherError.self) {
            try await manager.retrieveImage(with: .provider(other))
        }
    }

    @Test("A file that made a decoder fail is refused with the same error, without a decoder")
    func refusal() {
        #expect(decode("abort#refused") == .decoderFailed(.crashed(signal: 6)))
        let idle = pool.processIdentifiers
        #expect(decode("abort#refused") == .decoderFailed(.crashed(signal: 6)))
        #expect(pool.processIdentifiers == idle)
        #expect(decode("abort#other") == .decoderFailed(.crashed(signal: 6)))
    }
}
