import Foundation
import KingfisherImage
import KingfisherIsolation
import KingfisherVideo
import Testing

/// A decoder process that has been taken over by a video.
@Suite struct HostileVideoTests {
    private func failure(_ action: Double, _ change: (inout VideoFrameGenerator) -> Void = { _ in })
        async throws
        -> ImageCodecError?
    {
        var generator = VideoFrameGenerator(asset: Videos.url("h264.mp4"))
        generator.pool = Videos.pool("HostileDecoder") { settings in
            settings.requiredLockDown = []
            settings.cpuTimeLimit = .seconds(1)
        }
        change(&generator)
        do {
            _ = try await generator.image(at: action)
            return nil
        } catch let error as ImageCodecError { return error }
    }

    @Test("A frame of a decoder that follows the protocol arrives")
    func honest() async throws { #expect(try await failure(0) == nil) }

    @Test(
        "Bytes outside of the file, frames above the limits and wrong replies are violations",
        arguments: [1, 2, 3, 5, 6, 7, 10])
    func violations(action: Double) async throws {
        guard case .decoderFailed(.violatedProtocol)? = try await failure(action) else {
            Issue.record("\(action) was accepted")
            return
        }
    }

    @Test("A decoder that asks without end reaches the limit of bytes, or of requests")
    func endlessRequests() async throws {
        guard case .tooManyBytes? = try await failure(4, { $0.byteLimit = 1 << 20 }) else {
            Issue.record("no limit of bytes")
            return
        }
        guard case .decoderFailed(.violatedProtocol)? = try await failure(4, { $0.byteLimit = .max }) else {
            Issue.record("no limit of requests")
            return
        }
    }

    @Test("A decoder that crashes or works without end fails the frame")
    func ends() async throws {
        guard case .decoderFailed(.crashed)? = try await failure(8) else {
            Issue.record("a crash was not noticed")
            return
        }
        #expect(try await failure(9) == .decoderFailed(.timedOut))
    }
}
