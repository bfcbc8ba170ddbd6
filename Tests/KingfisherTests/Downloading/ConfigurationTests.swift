import Foundation
@testable import Kingfisher
import KingfisherTestSupport
import Synchronization
import KingfisherTransport
import Testing

/// Effects of `sessionConfiguration` and timeouts on a downloader.
@Suite struct ConfigurationTests {
    private let downloader = ImageDownloader(name: "configuration")

    private func limits(_ timeout: TimeInterval, configured: TimeInterval? = nil) -> TransportLimits {
        var settings = DownloaderSettings(injected: StubTransport { _ in .ok(Data()) })
        let configuration = URLSessionConfiguration.ephemeral
        if let configured { configuration.timeoutIntervalForRequest = configured }
        _ = settings.configure(UncheckedConfiguration(copying: configuration))
        let request = URLRequest(url: URL(filePath: "/"), timeoutInterval: timeout)
        return settings.transportRequest(for: request).limits
    }

    private func code(of url: URL, by downloader: ImageDownloader) async -> URLError.Code? {
        do {
            _ = try await downloader.downloadImage(with: url)
            return nil
        } catch {
            return (error as? KingfisherError)?.urlErrorCode
        }
    }

    @Test("The configuration is copied when it is read and set, with all its values")
    func copies() async throws {
        let bench = try Bench()
        let storage = HTTPCookieStorage.sharedCookieStorage(forGroupContainerIdentifier: "configuration")
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["X-A": "1"]
        configuration.httpMaximumConnectionsPerHost = 3
        configuration.timeoutIntervalForRequest = 4
        configuration.timeoutIntervalForResource = 5
        configuration.protocolClasses = [NoProtocol.self]
        configuration.httpCookieStorage = storage
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.connectionProxyDictionary = ["HTTPProxy": "proxy.test"]
        bench.downloader.sessionConfiguration = configuration
        configuration.httpAdditionalHeaders = ["X-A": "2"]
        bench.downloader.sessionConfiguration.httpAdditionalHeaders = ["X-A": "3"]

        let copy = bench.downloader.sessionConfiguration
        #expect(copy !== configuration && copy !== bench.downloader.sessionConfiguration)
        #expect(copy.httpAdditionalHeaders as? [String: String] == ["X-A": "1"])
        #expect(copy.httpMaximumConnectionsPerHost == 3)
        #expect(copy.timeoutIntervalForRequest == 4 && copy.timeoutIntervalForResource == 5)
        #expect(copy.protocolClasses?.count == 1 && copy.protocolClasses?.first == NoProtocol.self)
        #expect(copy.httpCookieStorage === storage)
        #expect(!copy.httpShouldSetCookies && copy.httpCookieAcceptPolicy == .never)
        #expect(copy.connectionProxyDictionary as? [String: String] == ["HTTPProxy": "proxy.test"])

        _ = try await bench.downloader.downloadImage(with: bench.url)
        #expect(bench.stub.requests.map { $0.value(forHTTPHeaderField: "X-A") } == ["1"])
        copy.httpAdditionalHeaders = ["X-A": "4"]
        bench.downloader.sessionConfiguration = copy
        _ = try await bench.downloader.downloadImage(with: Bench.freshURL())
        #expect(bench.stub.requests.map { $0.value(forHTTPHeaderField: "X-A") } == ["1", "4"])
    }

    @Test(
        "The shorter timeout applies, except Foundation's default; it also bounds the connect timeout",
        arguments: [
            (15, nil, 15, 10), (90, nil, 90, 10), (15, 60, 15, 10), (15, 5, 5, 5), (3, 5, 3, 3),
            (90, 30, 30, 10), (0.5, nil, 0.5, 0.5), (15, 0, 15, 10),
        ] as [(TimeInterval, TimeInterval?, TimeInterval, TimeInterval)])
    func timeouts(
        downloader: TimeInterval, configured: TimeInterval?, idle: TimeInterval, connect: TimeInterval
    ) {
        let limits = limits(downloader, configured: configured)
        #expect(limits.idle == .seconds(idle))
        #expect(limits.connect == .seconds(connect))
    }

    @Test("A hanging TLS handshake fails after downloadTimeout")
    func hangingHandshake() async throws {
        var tls = ServerTLS()
        tls.handshake = .hang
        let server = try LoopbackServer(tls: tls) { _ in .status(200) }
        defer { server.stop() }
        downloader.downloadTimeout = 0.3
        let start = ContinuousClock.now
        #expect(await code(of: server.url(), by: downloader) == .timedOut)
        // Well below the default connect timeout of 10 seconds.
        #expect(ContinuousClock.now - start < .seconds(5 * ProcessStatus.slowness))
    }

    @Test("A hanging lookup fails after downloadTimeout")
    func hangingLookup() async throws {
        var configuration = CurlTransport.Configuration()
        configuration.resolver = HangingResolver()
        configuration.environment = [:]
        let transport = CurlTransport(configuration)
        defer { transport.invalidate() }
        let downloader = ImageDownloader(name: "hanging lookup", transport: transport)
        downloader.downloadTimeout = 0.3
        let start = ContinuousClock.now
        let url = try #require(URL(string: "http://slow.test/"))
        #expect(await code(of: url, by: downloader) == .timedOut)
        #expect(ContinuousClock.now - start < .seconds(5 * ProcessStatus.slowness))
    }

    @Test("connectionProxyDictionary sends http through a proxy, unless an address policy forbids it")
    func proxy() async throws {
        let png = try TestImages.png
        let proxy = try LoopbackServer { $0.method == "CONNECT" ? .status(403) : .ok(png) }
        defer { proxy.stop() }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.connectionProxyDictionary = [
            "HTTPEnable": true, "HTTPProxy": "127.0.0.1", "HTTPPort": Int(proxy.port),
            "HTTPSEnable": 1, "HTTPSProxy": "127.0.0.1", "HTTPSPort": "\(proxy.port)",
        ]
        downloader.sessionConfiguration = configuration
        let far = try #require(URL(string: "http://far.test/image.png"))
        #expect(try await downloader.downloadImage(with: far).originalData == png)
        let secure = try #require(URL(string: "https://far.test/image.png"))
        #expect(await code(of: secure, by: downloader) != nil)
        #expect(proxy.requests.map(\.method) == ["GET", "CONNECT"])
        #expect(proxy.requests.map(\.target) == ["http://far.test/image.png", "far.test:443"])
        downloader.addressPolicy = .publicOnly
        let direct = try #require(URL(string: "http://127.0.0.1:1/image.png"))
        #expect(await code(of: direct, by: downloader) == .cannotConnectToHost)
        #expect(proxy.requestCount() == 2)
    }

    @Test("connectionProxyDictionary sends http through a SOCKS proxy, which resolves the server's name")
    func socks() async throws {
        let png = try TestImages.png
        let server = try LoopbackServer { _ in .ok(png) }
        defer { server.stop() }
        let proxy = try SOCKSProxy(to: server.port)
        defer { proxy.stop() }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.connectionProxyDictionary = [
            "SOCKSEnable": true, "SOCKSProxy": "127.0.0.1", "SOCKSPort": Int(proxy.port),
        ]
        downloader.sessionConfiguration = configuration
        let far = try #require(URL(string: "http://far.test/image.png"))
        #expect(try await downloader.downloadImage(with: far).originalData == png)
        #expect(proxy.destinations == [.name("far.test", port: 80)])
        downloader.addressPolicy = .publicOnly
        let direct = try #require(URL(string: "http://127.0.0.1:1/image.png"))
        #expect(await code(of: direct, by: downloader) == .cannotConnectToHost)
        #expect(proxy.destinations.count == 1)
    }

    @Test("A proxy dictionary is translated to proxy environment variables")
    func proxyVariables() {
        func variables(_ entries: [String: Any]?) -> [String: String]? {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.connectionProxyDictionary = entries
            return configuration.proxyEnvironment
        }
        #expect(variables(nil) == nil)
        #expect(variables([:]) == [:])
        #expect(variables(["HTTPEnable": 0, "HTTPProxy": "p.test", "HTTPPort": 1]) == [:])
        #expect(variables(["HTTPEnable": false, "HTTPProxy": "p.test"]) == [:])
        #expect(variables(["HTTPEnable": 1]) == [:])
        #expect(variables(["HTTPProxy": "p.test"]) == ["http_proxy": "http://p.test"])
        #expect(variables(["HTTPSProxy": "::1", "HTTPSPort": 3128]) == ["https_proxy": "http://[::1]:3128"])
        #expect(
            variables(["SOCKSEnable": 1, "SOCKSProxy": "p.test", "SOCKSPort": 1080])
                == ["all_proxy": "socks5h://p.test:1080"])
        let number = NSNumber(value: 3128)
        #expect(
            variables(["HTTPEnable": NSNumber(value: true), "HTTPProxy": "p.test", "HTTPPort": number])
                == ["http_proxy": "http://p.test:3128"])
    }

    @Test("A downloader creates no session configuration for local files, and keeps what is set before")
    func configurationAtFirstUse() async throws {
        let bench = try Bench()
        let manager = KingfisherManager(downloader: downloader, cache: bench.cache)
        _ = try await manager.retrieveImage(with: Fixtures.url(named: "Photos/coffee.jpg"))
        #expect(downloader.settings.withLock { !$0.hasConfiguration })
        downloader.suspend()
        downloader.requestRate = RequestRate.unlimited
        #expect(downloader.isSuspended && downloader.requestRate == .unlimited)
        downloader.sessionConfiguration = .ephemeral
        #expect(downloader.isSuspended && downloader.requestRate == .unlimited)
    }

    @Test("The minimum rate applies to each request and can be removed")
    func minimumRate() {
        var settings = DownloaderSettings(injected: StubTransport { _ in .ok(Data()) })
        let request = URLRequest(url: URL(filePath: "/"))
        #expect(settings.transportRequest(for: request).limits.minimumRate == MinimumRate())
        settings.minimumRate = nil
        #expect(settings.transportRequest(for: request).limits.minimumRate == nil)
        #expect(downloader.minimumRate == MinimumRate())
        downloader.minimumRate = MinimumRate(bytesPerSecond: 1, window: .seconds(2))
        #expect(downloader.minimumRate?.bytesPerSecond == 1)
    }

    @Test("A silent download yields its connection to a waiting one; a second silent one fails as too slow")
    func silentDownloads() async throws {
        let image = try TestImages.png
        let server = try LoopbackServer { request in
            request.path == "/quick" ? .ok(image) : ServerResponse([.hang])
        }
        defer { server.stop() }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = 1
        downloader.sessionConfiguration = configuration
        // On a busy machine, this test may take longer than the default.
        downloader.downloadTimeout = 600
        downloader.minimumRate = MinimumRate(window: .milliseconds(250))
        async let first = code(of: server.url("/1"), by: downloader)
        #expect(await server.wait { $0.requestCount("/1") == 1 })
        let second = Task { [downloader] in try await downloader.downloadImage(with: server.url("/2")) }
        #expect(await server.wait { $0.requestCount("/2") == 1 })
        let quick = await code(of: server.url("/quick"), by: downloader)
        #expect(quick == nil && server.requestCount("/quick") == 1)
        let tooSlow = await #expect(throws: KingfisherError.self) { try await second.value }
        #expect(tooSlow?.errorCode == 9003)
        downloader.cancelAll()
        #expect(await first != .timedOut, "it must continue outside the connection limit")
    }

}

private final class NoProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { false }
}

private struct HangingResolver: Resolver {
    func resolve(
        _ host: String, completion: @escaping @Sendable (Result<[IPAddress], TransportError>) -> Void
    ) {}
}
