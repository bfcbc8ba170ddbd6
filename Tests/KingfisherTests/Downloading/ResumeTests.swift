import Foundation
import KingfisherStorage
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher

/// Interrupted downloads that a later request continues.
@Suite struct ResumeTests {
    private let size = 4 * BodyRig.mebibyte

    /// A rig whose first response was cut after `cut` bytes, and the manager that has received these.
    private func interrupted(after cut: Int = 2 * BodyRig.mebibyte) async throws -> (
        BodyRig, KingfisherManager
    ) {
        let rig = try BodyRig(bytes: size)
        rig.serve { $0.cuts = [cut] }
        let manager = try rig.makeManager()
        #expect(reason(try await rig.load(manager)) == "URLSessionError")
        return (rig, manager)
    }

    private func expectImage(_ rig: BodyRig, _ manager: KingfisherManager) async throws {
        let image = try await rig.load(manager).get().image
        #expect(image.size == TestImages.pngSize)
        #expect(try rig.cached(manager) == rig.served.withLock(\.body))
        #expect(await rig.isClean())
    }

    @Test(
        "A later request asks for the rest, with the same cache or in a new process",
        arguments: [false, true])
    func continued(isNew: Bool) async throws {
        let (rig, first) = try await interrupted()
        #expect(rig.partials.count == 1)
        try await expectImage(rig, isNew ? rig.makeManager() : first)
        #expect(rig.ranges == [nil, "bytes=\(2 * BodyRig.mebibyte)-"])
        #expect(rig.server.requests.last?.header("If-Range") == "\"1\"")
        #expect(rig.served.withLock(\.bytesSent) == size)
    }

    @Test("A transfer that is cut ten times takes its bytes once, with retries")
    func cutTenTimes() async throws {
        let rig = try BodyRig(bytes: size)
        rig.serve { $0.cuts = Array(repeating: 350_000, count: 10) }
        let manager = try rig.makeManager()
        let retry = DelayRetryStrategy(maxRetryCount: 10, retryInterval: .seconds(0))
        _ = try await rig.load(manager, [.retryStrategy(retry)]).get()
        #expect(try rig.cached(manager) == rig.served.withLock(\.body))
        #expect(rig.ranges.count == 11 && rig.ranges.dropFirst().allSatisfy { $0 != nil })
        #expect(Double(rig.served.withLock(\.bytesSent)) <= 1.05 * Double(size))
    }

    @Test("Delegates, progress and events see the whole body")
    func reported() async throws {
        let (rig, manager) = try await interrupted()
        final class Delegate: ImageDownloaderDelegate {
            let statuses = Locked<[Int]>([])

            func isValidStatusCode(_ code: Int, for downloader: ImageDownloader) -> Bool {
                statuses.withLock { $0.append(code) }
                return code == 200
            }
        }
        let delegate = Delegate()
        manager.downloader.delegate = delegate
        let events = RecordedEvents(of: rig.url)
        let progress = Locked<[(Int64, Int64)]>([])
        let result = try await rig.load(manager) { received, total in
            progress.withLock { $0.append((received, total)) }
        }.get()
        await passMainQueue()
        #expect(progress.withLock { $0.allSatisfy { $0.0 > 2 * BodyRig.mebibyte && $0.1 == size } })
        #expect(progress.withLock { $0.last?.0 } == Int64(size))
        #expect(delegate.statuses.withLock(\.self) == [200])
        #expect(events.resumptions == ["\(2 * BodyRig.mebibyte) of \(size)"])
        #expect(result.metrics?.httpStatusCode == 200)
        #expect(result.metrics?.responseBodyBytesReceived == Int64(2 * BodyRig.mebibyte))
    }

    @Test("A changed resource starts over", arguments: ["ETag", "Last-Modified"])
    func changed(field: String) async throws {
        let rig = try BodyRig(bytes: size)
        let (old, new) =
            field == "ETag"
            ? ("\"1\"", "\"2\"") : ("Mon, 23 Nov 2026 10:00:00 GMT", "Tue, 24 Nov 2026 10:00:00 GMT")
        rig.serve { ($0.cuts, $0.validator) = ([2 * BodyRig.mebibyte], (field, old)) }
        let manager = try rig.makeManager()
        #expect(reason(try await rig.load(manager)) == "URLSessionError")
        let body = try BodyRig.body(size, seed: 1)
        rig.serve { ($0.body, $0.validator) = (body, (field, new)) }
        try await expectImage(rig, manager)
        #expect(rig.server.requests.last?.header("If-Range") == old)
        #expect(rig.server.requestCount() == 2)
    }

    @Test("A server that ignores the range sends the whole body in the same transfer")
    func ignored() async throws {
        let (rig, manager) = try await interrupted()
        rig.serve { $0.supportsRanges = false }
        try await expectImage(rig, manager)
        #expect(rig.server.requestCount() == 2)
    }

    @Test(
        "A response with another range, or none, is not used: the request is repeated without it",
        arguments: [
            "416", "bytes 0-99/4194304", "bytes 2097152-4194303/9", "bytes */4194304", "other tag", "no tag",
        ])
    func refused(answer: String) async throws {
        let (rig, manager) = try await interrupted()
        rig.serve { served in
            let rest = served.body.dropFirst(2 * BodyRig.mebibyte)
            served.rangeAnswer = { start in
                switch answer {
                case "416": .status(416)
                case "other tag", "no tag":
                    .status(
                        206,
                        headers: [
                            ("Content-Range", "bytes \(start)-4194303/4194304"),
                            (answer == "no tag" ? "X-Tag" : "ETag", "\"2\""),
                        ],
                        body: Data(rest))
                default: .status(206, headers: [("Content-Range", answer)], body: Data(rest))
                }
            }
        }
        try await expectImage(rig, manager)
        #expect(rig.ranges.map { $0 == nil } == [true, false, true])
    }

    @Test("A rest that is too long or too short fails, and is not used later", arguments: [-1, 1])
    func wrongLength(difference: Int) async throws {
        let (rig, manager) = try await interrupted()
        rig.serve { served in
            let rest = served.body.dropFirst(2 * BodyRig.mebibyte)
            let body = difference < 0 ? rest.dropLast() : rest + [0]
            served.rangeAnswer = { start in
                let fields = [("Content-Range", "bytes \(start)-4194303/4194304"), ("ETag", "\"1\"")]
                return ServerResponse([
                    .send(ServerResponse.head(206, headers: fields + [("Transfer-Encoding", "chunked")])),
                    .send(ServerResponse.chunk(Data(body))), .send(Data("0\r\n\r\n".utf8)),
                ])
            }
        }
        #expect(reason(try await rig.load(manager)) == "URLSessionError")
        rig.serve { $0.rangeAnswer = nil }
        try await expectImage(rig, manager)
    }

    @Test("A server that ignores If-Range and sends the rest of a changed resource is recognised by its date")
    func changedDate() async throws {
        let rig = try BodyRig(bytes: size)
        rig.serve { served in
            (served.cuts, served.validator) = (
                [2 * BodyRig.mebibyte], ("Last-Modified", "Mon, 23 Nov 2026 10:00:00 GMT")
            )
        }
        let manager = try rig.makeManager()
        #expect(reason(try await rig.load(manager)) == "URLSessionError")
        let body = try BodyRig.body(size, seed: 1)
        rig.serve { served in
            served.body = body
            served.rangeAnswer = { start in
                .status(
                    206,
                    headers: [
                        ("Content-Range", "bytes \(start)-4194303/4194304"),
                        ("Last-Modified", "Tue, 24 Nov 2026 10:00:00 GMT"),
                    ],
                    body: Data(body.dropFirst(start)))
            }
        }
        try await expectImage(rig, manager)
        #expect(rig.ranges.map { $0 == nil } == [true, false, true])
    }

    @Test("The rest of another URL, after another redirect, is not used")
    func redirected() async throws {
        let rig = try BodyRig(bytes: size)
        let target = Locked("/one")
        rig.serve { $0.redirect = { path in path == "/large.png" ? target.withLock(\.self) : nil } }
        rig.serve { $0.cuts = [2 * BodyRig.mebibyte] }
        let manager = try rig.makeManager()
        #expect(reason(try await rig.load(manager)) == "URLSessionError")
        target.withLock { $0 = "/two" }
        let body = try BodyRig.body(size, seed: 1)
        rig.serve { $0.body = body }
        try await expectImage(rig, manager)
        let served = rig.server.requests.filter { $0.path != "/large.png" }
        #expect(served.map(\.path) == ["/one", "/two", "/two"])
        #expect(served.map { $0.header("Range") == nil } == [true, false, true])
    }

    @Test("A response that must not be stored is not kept")
    func noStore() async throws {
        let rig = try BodyRig(bytes: size)
        rig.serve { ($0.cuts, $0.fields) = ([2 * BodyRig.mebibyte], [("Cache-Control", "no-store")]) }
        let manager = try rig.makeManager()
        #expect(reason(try await rig.load(manager)) == "URLSessionError")
        #expect(rig.partials.isEmpty && rig.staged.isEmpty)
    }

    @Test("A request that is cancelled before the server answers keeps the bytes for the next one")
    func cancelledBeforeHead() async throws {
        let (rig, manager) = try await interrupted()
        let gate = ServerGate()
        rig.serve { $0.answer = { ServerResponse([.hold(gate), .close]) } }
        let task = try #require(manager.retrieveImage(with: rig.url) { _ in })
        #expect(await poll { rig.server.requestCount() == 2 })
        task.cancel()
        rig.serve { $0.answer = nil }
        try await expectImage(rig, manager)
        #expect(rig.served.withLock(\.bytesSent) == size)
        gate.release()
    }

    @Test(
        "Removing the image removes the bytes of its interrupted download, unless from memory only",
        arguments: [false, true])
    func removed(isAsync: Bool) async throws {
        let (rig, manager) = try await interrupted()
        let key = rig.url.cacheKey
        try await manager.cache.removeImage(forKey: key, fromDisk: false)
        try await manager.cache.removeImage(forKey: key + "#other")
        #expect(rig.partials.count == 1)
        if isAsync {
            try await manager.cache.removeImage(forKey: key)
        } else {
            await withCheckedContinuation { done in
                manager.cache.removeImage(forKey: key) { done.resume() }
            }
        }
        #expect(rig.partials.isEmpty)
        try await expectImage(rig, manager)
        #expect(rig.ranges == [nil, nil])
    }

    @Test("The time for the whole transfer includes the request whose range was refused")
    func deadline() async throws {
        let (rig, manager) = try await interrupted()
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForResource = 1
        manager.downloader.sessionConfiguration = configuration
        rig.serve { served in
            served.rangeAnswer = { _ in
                let refused = ServerResponse.head(416, headers: [("Content-Length", "0")])
                return ServerResponse([.pause(.milliseconds(700)), .send(refused)])
            }
            served.delay = .milliseconds(700)
        }
        guard case .responseError(.URLSessionError(let error)) = try await rig.load(manager).failure else {
            Issue.record("expected a time-out")
            return
        }
        #expect((error as? URLError)?.code == .timedOut && rig.server.requestCount() == 3)
    }

    @Test("The downloads of a subclass are continued, too")
    func subclass() async throws {
        // Unchecked, like its superclass; it has no state.
        final class Subclass: ImageDownloader, @unchecked Sendable {}
        let (rig, manager) = try await interrupted()
        manager.downloader = Subclass(name: "subclass")
        try await expectImage(rig, manager)
        #expect(rig.served.withLock(\.bytesSent) == size)
    }

    @Test("An error of the server keeps the bytes for a later request, unless the image does not exist")
    func errorBetween() async throws {
        let (rig, manager) = try await interrupted()
        rig.serve { $0.answer = { .status(503) } }
        #expect(reason(try await rig.load(manager)) == "invalidHTTPStatusCode")
        #expect(rig.partials.count == 1)
        rig.serve { $0.answer = nil }
        try await expectImage(rig, manager)
        #expect(rig.served.withLock(\.bytesSent) == size)

        let (other, second) = try await interrupted()
        other.serve { $0.answer = { .status(404) } }
        #expect(reason(try await other.load(second)) == "invalidHTTPStatusCode")
        #expect(await other.isClean())
    }

    @Test(
        "The bytes of one caller are not continued for a caller with other credentials",
        arguments: ["Authorization", "cookie", "Proxy-Authorization", "X-Other"])
    func otherCredentials(field: String) async throws {
        let rig = try BodyRig(bytes: size)
        rig.serve { $0.cuts = [2 * BodyRig.mebibyte] }
        let manager = try rig.makeManager()
        for value in ["one", "two"] {
            _ = try await rig.load(manager, [.requestModifier(AnyModifier.setting(field, to: value))])
        }
        let isContinued = field == "X-Other"
        #expect(rig.ranges == [nil, isContinued ? "bytes=\(2 * BodyRig.mebibyte)-" : nil])
    }

    @Test("A corrupt file is not continued")
    func corrupt() async throws {
        let (rig, manager) = try await interrupted()
        let paths = FileManager.default.enumerator(at: rig.folder.url, includingPropertiesForKeys: nil)
        let file = try #require(
            paths?.compactMap { $0 as? URL }.first { $0.lastPathComponent.hasPrefix("partial-") })
        let handle = try FileHandle(forUpdating: file)
        try handle.seek(toOffset: 1_000_000)
        try handle.write(contentsOf: Data("changed".utf8))
        try handle.close()
        try await expectImage(rig, manager)
        #expect(rig.ranges == [nil, nil])
    }

    @Test("Without a strong validator or with Accept-Ranges: none, nothing is kept", arguments: [0, 1, 2, 3])
    func unsupported(example: Int) async throws {
        let rig = try BodyRig(bytes: size)
        rig.serve { served in
            served.cuts = [2 * BodyRig.mebibyte]
            served.validator =
                [
                    ("ETag", "W/\"1\""), ("Accept-Ranges", "none"), nil,
                    // In the same second as the response.
                    ("Last-Modified", "Wed, 25 Nov 2026 12:00:00 GMT"),
                ][example]
        }
        let manager = try rig.makeManager()
        #expect(reason(try await rig.load(manager)) == "URLSessionError")
        #expect(rig.partials.isEmpty)
        try await expectImage(rig, manager)
        #expect(rig.ranges == [nil, nil])
    }

    @Test("Requests that do not want it keep nothing", arguments: [0, 1, 2])
    func unwanted(example: Int) async throws {
        let options: KingfisherOptionsInfo = [[.resumable(false)], [.cacheMemoryOnly], []][example]
        let rig = try BodyRig(bytes: size)
        rig.serve { $0.cuts = [2 * BodyRig.mebibyte] }
        let manager = try rig.makeManager()
        if example == 2 { manager.downloader.maxBodyBytesInMemory = .max }
        #expect(reason(try await rig.load(manager, options)) == "URLSessionError")
        #expect(rig.partials.isEmpty)
        _ = try await rig.load(manager, options).get()
        #expect(rig.ranges == [nil, nil])
        #expect(await rig.isClean())
    }

    @Test("Another request of the URL is not continued, with a date as validator")
    func otherFields() async throws {
        let rig = try BodyRig(bytes: size)
        let validator = ("Last-Modified", "Mon, 23 Nov 2026 10:00:00 GMT")
        rig.serve { ($0.cuts, $0.validator) = ([2 * BodyRig.mebibyte], validator) }
        let manager = try rig.makeManager()
        #expect(reason(try await rig.load(manager)) == "URLSessionError")
        let modifier = AnyModifier { request in
            var request = request
            request.setValue("de", forHTTPHeaderField: "Accept-Language")
            return request
        }
        _ = try await rig.load(manager, [.requestModifier(modifier)]).get()
        #expect(rig.ranges == [nil, nil])
        #expect(await rig.isClean())
    }

    @Test("A cancelled download is continued, too, and simultaneous requests share the transfer")
    func cancelledAndShared() async throws {
        let rig = try BodyRig(bytes: size)
        let manager = try rig.makeManager()
        let task = try await rig.loadPart(2 * BodyRig.mebibyte, manager, fields: [("ETag", "\"1\"")])
        task.cancel()
        let results = Inbox<Result<RetrieveImageResult, KingfisherError>>()
        for _ in 0..<5 { manager.retrieveImage(with: rig.url) { results.put($0) } }
        for result in try await results.first(5) {
            #expect(try result.get().image.size == TestImages.pngSize)
        }
        #expect(rig.ranges == [nil, "bytes=\(2 * BodyRig.mebibyte)-"])
    }
}

/// Records which transfers of a URL have continued an earlier one.
private final class RecordedEvents: KingfisherEventObserver {
    private let url: URL
    private let found = Locked<[String]>([])

    init(of url: URL) {
        self.url = url
        KingfisherEvents.add(self)
    }

    var resumptions: [String] { found.withLock(\.self) }

    func kingfisher(didReport event: KingfisherEvent) {
        guard case .downloadResumed(url, let offset, let total) = event else { return }
        found.withLock { $0.append("\(offset) of \(total)") }
    }
}
