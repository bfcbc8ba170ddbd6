import Foundation
import Kingfisher
import KingfisherService
import KingfisherTestSupport
import Synchronization
import Testing

@testable import KingfisherServer

/// Signed URL in, image out; what is fetched and built, and how often.
@Suite struct ImagesTests {
    private func photo() throws -> Data { try Fixtures.data(named: "Photos/chelsea.jpg") }

    @Test func `A signed URL gives the image, with tag, variance, ranges and 304`() async throws {
        let photo = try photo()
        let origin = try LoopbackServer { _ in .ok(photo) }
        defer { origin.stop() }
        try await ServerUnderTest.run { server in
            let path = try server.path(origin.url("/cat.jpg"))
            let reply = try await server.request(path)
            let image = try #require(Image(data: reply.body))
            #expect(reply.status == 200 && max(image.size.width, image.size.height) == 64)
            #expect(reply.value("Content-Type") == "image/jpeg" && reply.value("Vary") == "Accept")
            #expect(reply.value("Server-Timing")?.contains("cache;desc=miss") == true)
            let tag = try #require(reply.value("ETag"))

            let same = try await server.request(path, fields: ["If-None-Match": tag])
            #expect(same.status == 304 && same.body.isEmpty && same.value("Content-Length") == nil)
            let part = try await server.request(path, fields: ["Range": "bytes=2-9"])
            #expect(part.status == 206 && part.body == reply.body.dropFirst(2).prefix(8))
            let beyond = try await server.request(path, fields: ["Range": "bytes=9999999-"])
            #expect(beyond.status == 416)
            let head = try await server.request(path, "HEAD")
            #expect(head.status == 200 && head.body.isEmpty)
            #expect(head.value("Content-Length") == "\(reply.body.count)")
            let hit = try await server.request(path)
            #expect(hit.body == reply.body)
            #expect(hit.value("Server-Timing")?.contains("cache;desc=memory") == true)
            #expect(origin.requestCount() == 1)
        }
    }

    @Test func `Four sizes take one request to the source`() async throws {
        let photo = try photo()
        let origin = try LoopbackServer { _ in .ok(photo) }
        defer { origin.stop() }
        try await ServerUnderTest.run { server in
            var sizes: Set<Int> = []
            for side in [32, 64, 128, 256] {
                let path = try server.path(origin.url("/cat.jpg"), "fit:\(side)x\(side)")
                let image = try #require(Image(data: try await server.request(path).body))
                sizes.insert(Int(max(image.size.width, image.size.height)))
            }
            #expect(sizes == [32, 64, 128, 256] && origin.requestCount() == 1)
        }
    }

    @Test func `Fifty equal requests build one result`() async throws {
        let gate = ServerGate()
        let photo = try photo()
        let origin = try LoopbackServer { _ in .ok(photo).held(by: gate) }
        defer { origin.stop() }
        let builds = BuildCounter()
        KingfisherEvents.add(builds)
        defer { KingfisherEvents.remove(builds) }
        try await ServerUnderTest.run { server in
            let path = try server.path(origin.url("/fifty.jpg"))
            try await withThrowingTaskGroup(of: Data.self) { group in
                for _ in 0..<50 { group.addTask { try await server.request(path).body } }
                #expect(await poll { gate.arrived == 1 })
                gate.release()
                let bodies = try await group.reduce(into: Set<Data>()) { $0.insert($1) }
                #expect(bodies.count == 1)
            }
            #expect(origin.requestCount() == 1 && builds.count(of: "/fifty.jpg") == 1)
        }
    }

    @Test func `Both caches survive a restart`() async throws {
        let photo = try photo()
        let origin = try LoopbackServer { _ in .ok(photo) }
        defer { origin.stop() }
        let folder = unusedFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        try await ServerUnderTest.run(in: folder) { server in
            _ = try await server.request(server.path(origin.url("/cat.jpg")))
            #expect(await poll { Self.fileCount(in: folder) >= 2 })
        }
        try await ServerUnderTest.run(in: folder) { server in
            let hit = try await server.request(server.path(origin.url("/cat.jpg")))
            #expect(hit.value("Server-Timing")?.contains("cache;desc=disk") == true)
            let other = try await server.request(server.path(origin.url("/cat.jpg"), "fit:32x32"))
            #expect(other.status == 200 && origin.requestCount() == 1)
        }
    }

    private static func fileCount(in folder: URL) -> Int {
        let files = FileManager.default.enumerator(
            at: folder, includingPropertiesForKeys: [.isRegularFileKey])
        return files?.allObjects.count { ($0 as? URL)?.isFile == true } ?? 0
    }

    @Test func `A stale result is revalidated, and replaced if the source has changed`() async throws {
        let photo = try photo()
        let png = try Fixtures.data(named: "PNG/rgba8.png")
        let isChanged = Mutex(false)
        let origin = try LoopbackServer { request in
            let (tag, body) = isChanged.withLock { $0 } ? ("\"two\"", png) : ("\"one\"", photo)
            let fields = [("ETag", tag), ("Cache-Control", "max-age=1")]
            return request.header("If-None-Match") == tag
                ? .status(304, headers: fields) : .ok(body, headers: fields)
        }
        defer { origin.stop() }
        try await ServerUnderTest.run { settings in
            settings.caches.sourceMinimumLifetime = 0
        } _: { server in
            let path = try server.path(origin.url("/cat.jpg"))
            let first = try await server.request(path)
            #expect(first.status == 200 && origin.requestCount() == 1)
            try await Task.sleep(for: .seconds(1.1))
            let confirmed = try await server.request(path)
            #expect(confirmed.body == first.body && origin.requestCount() == 2)
            isChanged.withLock { $0 = true }
            try await Task.sleep(for: .seconds(1.1))
            let changed = try await server.request(path)
            #expect(changed.status == 200 && changed.body != first.body && origin.requestCount() == 3)
        }
    }

    @Test func `A URL without a valid signature is refused before its source is asked`() async throws {
        let origin = try LoopbackServer { _ in .status(404) }
        defer { origin.stop() }
        try await ServerUnderTest.run { server in
            let path = try server.path(origin.url("/cat.jpg"))
            let changed = path.replacing("fit:64x64", with: "fit:65x64")
            for method in ["GET", "HEAD"] {
                #expect(try await server.request(changed, method).status == 403)
            }
            #expect(origin.requestCount() == 0)
            let missing = try await server.request(path)
            #expect(missing.status == 404 && missing.value("Cache-Control") == "max-age=10")
        }
    }

    @Test func `A source of the folder is read, and a changed file is read again`() async throws {
        let folder = unusedFolder()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "a.png")
        try Fixtures.data(named: "PNG/rgba8.png").write(to: file)
        try FileManager.default.createSymbolicLink(
            at: folder.appending(path: "link.png"), withDestinationURL: file)
        try await ServerUnderTest.run { settings in
            settings.folder = folder
            settings.urls.sources.allowsFolder = true
        } _: { server in
            let path = try server.urls.sign(path: "/plain/local:///a.png@png")
            let first = try await server.request(path)
            #expect(Image(data: first.body)?.size == CGSize(width: 33, height: 21))
            try Fixtures.data(named: "Photos/chelsea.jpg").write(to: file)
            let second = try await server.request(path)
            #expect(Image(data: second.body).map { $0.size.width > 100 } == true)
            let link = try server.urls.sign(path: "/plain/local:///link.png@png")
            #expect(try await server.request(link).status == 404)
        }
    }

    @Test func `A POST is processed, refused without expiry, and not stored`() async throws {
        let photo = try photo()
        let folder = unusedFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        try await ServerUnderTest.run(in: folder) { settings in
            settings.maximumUploadBytes = 1 << 20
        } _: { server in
            let path = try server.urls.sign(path: "/fit:40x40/expires:4000000000/upload@png")
            let reply = try await server.request(path, "POST", body: photo)
            #expect(reply.status == 200)
            #expect(Image(data: reply.body).map { max($0.size.width, $0.size.height) } == 40)
            #expect(try await server.request(path).status == 405)
            let endless = try server.urls.sign(path: "/fit:40x40/upload@png")
            #expect(try await server.request(endless, "POST", body: photo).status == 400)
            let large = try await server.request(path, "POST", body: Data(count: 2 << 20))
            #expect(large.status == 413)
            let garbage = try await server.request(path, "POST", body: Data([1, 2, 3]))
            #expect(garbage.status == 422)
            #expect(Self.fileCount(in: folder) == 0)
        }
    }

    @Test func `A redirect to a refused port or origin is not followed`() async throws {
        let photo = try photo()
        let inner = try LoopbackServer { _ in .ok(photo) }
        defer { inner.stop() }
        let target = inner.url("/secret.jpg").absoluteString
        let origin = try LoopbackServer { _ in .redirect(to: target) }
        defer { origin.stop() }
        try await ServerUnderTest.run { settings in
            settings.allowedPorts = [Int(origin.port)]
        } _: { server in
            let reply = try await server.request(server.path(origin.url("/cat.jpg")))
            #expect(reply.status == 502 && inner.requestCount() == 0 && origin.requestCount() == 1)
            let direct = try await server.request(server.path(inner.url("/cat.jpg")))
            #expect(direct.status == 502 && inner.requestCount() == 0)
        }
    }

    @Test func `An address that is not public is refused by default`() async throws {
        let origin = try LoopbackServer { _ in .status(200) }
        defer { origin.stop() }
        try await ServerUnderTest.run { settings in
            settings.allowedAddresses = []
        } _: { server in
            let reply = try await server.request(server.path(origin.url("/cat.jpg")))
            #expect(reply.status == 502 && origin.requestCount() == 0)
            #expect(!reply.text.contains("\(origin.port)"))
        }
    }
}

extension URL {
    fileprivate var isFile: Bool {
        (try? resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) ?? false
    }
}

/// Counts processed images by the path of their source.
final class BuildCounter: KingfisherEventObserver {
    private let sources = Mutex<[String]>([])

    func kingfisher(didReport event: KingfisherEvent) {
        if case .processed(let source, _, true, _) = event { sources.withLock { $0.append(source) } }
    }

    func count(of path: String) -> Int { sources.withLock { $0.count { $0.hasSuffix(path) } } }
}
