import Foundation
import KingfisherTestSupport
import KingfisherTransport
import Synchronization
import Testing

/// HTTP/2 with a server that programs use.
@Suite(.serialized) struct NginxTests {
    /// Files with the names 0, 1 and so on, and different lengths.
    private static func files(_ count: Int) -> [String: Data] {
        Dictionary(uniqueKeysWithValues: (0..<count).map { ("\($0)", bytes(20_000 + $0)) })
    }

    @Test("100 concurrent requests share a connection, and each gets its body")
    func multiplexing() async throws {
        let nginx = try await NginxServer(files: Self.files(100))
        defer { nginx.stop() }
        let rig = try HTTP2Rig()
        defer { rig.transport.invalidate() }
        for (index, handler) in rig.start(100, at: nginx.url).enumerated() {
            #expect(try await handler.metrics().protocolName == "HTTP/2")
            #expect(handler.now.body == bytes(20_000 + index))
        }
        #expect(await poll { nginx.log.count == 100 })
        #expect(Set(nginx.log.map(\.connection)).count == 1)
        #expect(Set(nginx.log.map(\.version)) == ["HTTP/2.0"])
    }

    @Test("If nginx ends its connections after 25 requests each, no request is answered twice")
    func goAway() async throws {
        let nginx = try await NginxServer("keepalive_requests 25;", files: Self.files(100))
        defer { nginx.stop() }
        let rig = try HTTP2Rig()
        defer { rig.transport.invalidate() }
        var failures = 0
        for (index, handler) in rig.start(100, at: nginx.url).enumerated() {
            switch try await handler.error() {
            case nil: #expect(handler.now.body == bytes(20_000 + index))
            // libcurl 7.88 fails requests that it sends while a GOAWAY arrives.
            case .malformed, .connectionLost: failures += 1
            case let error: Issue.record("\(String(describing: error))")
            }
        }
        #expect(failures <= 25)
        #expect(await poll { nginx.log.count >= 100 - failures })
        #expect(Set(nginx.log.map(\.path)).count == nginx.log.count)
        #expect(Set(nginx.log.map(\.connection)).count >= 3)
    }

    @Test("A paused transfer does not stop the others of its connection, and resumes without loss")
    func pause() async throws {
        var files = Self.files(20)
        let large = bytes(50 << 20)
        files["large"] = large
        let nginx = try await NginxServer(files: files)
        defer { nginx.stop() }
        let rig = try HTTP2Rig()
        defer { rig.transport.invalidate() }
        let isOpen = Atomic(false)
        let paused = Recorder(
            onBody: { _, taken in taken < 1 << 20 || isOpen.load(ordering: .acquiring) })
        let task = rig.start(nginx.url("/large"), paused)
        #expect(await poll { paused.bytesTaken >= 1 << 20 })
        for _ in 0..<10 {
            for (index, handler) in rig.start(20, at: nginx.url).enumerated() {
                _ = try await handler.metrics()
                #expect(handler.now.body == bytes(20_000 + index))
            }
        }
        #expect(!paused.isFinished)
        isOpen.store(true, ordering: .releasing)
        task.resume()
        #expect(try await paused.metrics().protocolName == "HTTP/2")
        #expect(paused.now.body == large)
        #expect(await poll { nginx.log.count == 201 })
        #expect(Set(nginx.log.map(\.connection)).count == 1)
    }

    @Test("A cancelled transfer leaves the connection to the others")
    func cancellation() async throws {
        var files = Self.files(20)
        files["large"] = bytes(20 << 20)
        let nginx = try await NginxServer(files: files)
        defer { nginx.stop() }
        let rig = try HTTP2Rig()
        defer { rig.transport.invalidate() }
        let cancelled = Recorder(onBody: { task, _ in
            task.cancel()
            return true
        })
        rig.start(nginx.url("/large"), cancelled)
        let others = rig.start(20, at: nginx.url)
        #expect(try await cancelled.error() == .cancelled)
        for (index, handler) in others.enumerated() {
            _ = try await handler.metrics()
            #expect(handler.now.body == bytes(20_000 + index))
        }
        #expect(await poll { nginx.log.count == 21 })
        #expect(Set(nginx.log.map(\.connection)).count == 1)
    }

    @Test("nginx without HTTP/2 gets HTTP/1.1")
    func fallback() async throws {
        let nginx = try await NginxServer(http2: false, files: Self.files(20))
        defer { nginx.stop() }
        let rig = try HTTP2Rig()
        defer { rig.transport.invalidate() }
        for (index, handler) in rig.start(20, at: nginx.url).enumerated() {
            #expect(try await handler.metrics().protocolName == "HTTP/1.1")
            #expect(handler.now.body == bytes(20_000 + index))
        }
    }
}
