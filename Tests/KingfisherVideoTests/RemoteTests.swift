import Foundation
import Kingfisher
import KingfisherImage
import KingfisherTestSupport
import KingfisherVideo
import Synchronization
import TestHelpers
import Testing

/// Frames of a file on a server.
@Suite struct RemoteTests {
    /// A server of one file with ranges, and a generator.
    final class Rig: Sendable {
        let server: LoopbackServer
        let generator: VideoFrameGenerator
        /// Replaces the response to a request, which has a number from 1 on.
        let answer = Mutex<@Sendable (_ number: Int) -> ServerResponse?>({ _ in nil })
        private let requests = Mutex(0)

        init(_ file: Data) throws {
            let rig = Mutex<Rig?>(nil)
            server = try LoopbackServer { request in
                rig.withLock(\.self)?.respond(to: request, file) ?? .status(503)
            }
            var generator = Videos.generator(server.url("/clip.mp4"))
            generator.downloader = ImageDownloader(name: "videos")
            self.generator = generator
            rig.withLock { $0 = self }
        }

        deinit { server.stop() }

        private func respond(to request: ServerRequest, _ file: Data) -> ServerResponse {
            let number = requests.withLock { requests in
                requests += 1
                return requests
            }
            if let response = answer.withLock(\.self)(number) { return response }
            let ends = (request.header("Range") ?? "").dropFirst("bytes=".count).split(separator: "-").map {
                Int($0)
            }
            guard ends.count == 2, let first = ends[0], let last = ends[1], first < file.count else {
                return .status(416)
            }
            return Self.part(file, first...min(last, file.count - 1))
        }

        static func part(_ file: Data, _ range: ClosedRange<Int>, tag: String = "\"1\"") -> ServerResponse {
            .status(
                206,
                headers: [
                    ("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound)/\(file.count)"),
                    ("ETag", tag),
                ], body: file[range])
        }
    }

    /// A video of 48 MiB, with its index at the end, behind a box that readers skip.
    private static func bigFile() throws -> Data {
        let file = try Fixtures.data(named: "Video/h264-end.mov")
        let index = try #require(file.range(of: Data("moov".utf8))).lowerBound - 4
        let count = 48 << 20
        let length = withUnsafeBytes(of: UInt32(count + 8).bigEndian) { Data($0) }
        return file[..<index] + length + Data("skip".utf8) + Data(count: count) + file[index...]
    }

    @Test("A frame is read in parts, from an index at the front or at the end")
    func parts() async throws {
        for name in ["h264.mp4", "h264-end.mov", "vp9.webm"] {
            let rig = try Rig(Fixtures.data(named: "Video/" + name))
            let frame = try await rig.generator.image(at: 1).pixels
            #expect(Videos.psnr(frame, try await Videos.frame(name, at: 1)) == .infinity, "\(name)")
            #expect(rig.server.requests.allSatisfy { $0.header("Range") != nil })
        }
    }

    @Test("A server that sends no parts, another status or another file is an error")
    func refusals() async throws {
        let file = try Fixtures.data(named: "Video/h264.mp4")
        let answers: [(VideoFrameError, ServerResponse)] = [
            (.withoutRanges, .ok(file)), (.withoutRanges, .status(416)), (.status(404), .status(404)),
            (.status(500), .status(500)),
            (
                .withoutRanges,
                .status(206, headers: [("Content-Range", "bytes 5-9/10")], body: Data(count: 5))
            ),
            (
                .withoutRanges,
                .status(206, headers: [("Content-Range", "bytes 0-9/*")], body: Data(count: 10))
            ),
            (.withoutRanges, .status(206, body: Data(count: 10))),
        ]
        for (error, response) in answers {
            let rig = try Rig(file)
            rig.answer.withLock { $0 = { _ in response } }
            await #expect(throws: error) { try await rig.generator.image(at: 1) }
            #expect(rig.server.requestCount() == 1)
        }
    }

    @Test("A file that changes while it is read is an error")
    func change() async throws {
        let file = try Self.bigFile()
        let rig = try Rig(file)
        rig.answer.withLock {
            $0 = { number in
                number == 1 ? nil : Rig.part(file, (file.count - 100)...(file.count - 1), tag: "\"2\"")
            }
        }
        await #expect(throws: VideoFrameError.self) { try await rig.generator.image(at: 1) }
        #expect(rig.server.requestCount() == 2)
    }

    @Test("A response that breaks off is an error, and so is one that never comes")
    func interruption() async throws {
        let file = try Self.bigFile()
        let rig = try Rig(file)
        rig.answer.withLock {
            $0 = { number in number == 1 ? nil : ServerResponse([.reset]) }
        }
        await #expect(throws: URLError.self) { try await rig.generator.image(at: 1) }
        let silent = try Rig(file)
        silent.generator.downloader.downloadTimeout = 0.3
        silent.answer.withLock { $0 = { _ in ServerResponse([.hang]) } }
        await #expect { try await silent.generator.image(at: 1) } throws: { error in
            (error as? URLError)?.code == .timedOut
        }
    }

    @Test("A cancelled load ends at once, also while a server is silent")
    func cancellation() async throws {
        let rig = try Rig(Self.bigFile())
        rig.answer.withLock { $0 = { number in number == 1 ? nil : ServerResponse([.hang]) } }
        let task = Task { try await rig.generator.image(at: 1) }
        // Frames of other tests may be before it.
        #expect(await poll(upTo: .seconds(120)) { rig.server.requestCount() == 2 })
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        let provider = AVAssetImageDataProvider(assetImageGenerator: rig.generator, time: 1)
        let load = Task { try await provider.data() }
        load.cancel()
        await #expect(throws: AVAssetImageDataProvider.AVAssetImageDataProviderError.self) {
            try await load.value
        }
    }

    @Test("Of a large file, only the index and one group of frames are read")
    func traffic() async throws {
        let file = try Self.bigFile()
        let rig = try Rig(file)
        let frame = try await rig.generator.image(at: 1.04).pixels
        #expect(Videos.psnr(frame, try Videos.reference("h264.mp4", 26)) > 40)
        #expect(file.count > 40 << 20 && rig.server.requestCount() < 12)
        let asked = rig.server.requests.compactMap { $0.header("Range") }.map { range in
            let ends = range.dropFirst("bytes=".count).split(separator: "-").compactMap { Int($0) }
            return ends[1] - ends[0] + 1
        }
        #expect(asked.reduce(0, +) < 1 << 20, "\(asked)")
    }
}
