import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

@testable import KingfisherServer

@Suite struct ClientAddressTests {
    private func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

    private func client(_ connection: String?, _ forwarded: [String]) throws -> String? {
        let proxies = try ["10.0.0.0/8", "fd00::/8"].map { try #require(IPNetwork($0)) }
        return ClientAddresses(trustedProxies: proxies)
            .address(of: try connection.map(address), forwarded: forwarded)?.description
    }

    @Test(
        arguments: [
            ("192.0.2.1", [], "192.0.2.1"),
            // Only a trusted proxy may name another client.
            ("192.0.2.1", ["198.51.100.7"], "192.0.2.1"),
            ("10.0.0.1", ["198.51.100.7"], "198.51.100.7"),
            ("10.0.0.1", [" 198.51.100.7 "], "198.51.100.7"),
            // The client has written the beginning.
            ("10.0.0.1", ["1.1.1.1, 198.51.100.7"], "198.51.100.7"),
            ("10.0.0.1", ["1.1.1.1", "198.51.100.7, 10.9.9.9"], "198.51.100.7"),
            ("10.0.0.1", ["nonsense"], "10.0.0.1"),
            ("10.0.0.1", ["198.51.100.7, nonsense"], "10.0.0.1"),
            ("10.0.0.1", ["10.0.0.2, 10.0.0.3"], "10.0.0.2"),
            ("fd00::1", ["2001:db8::5"], "2001:db8::5"),
            (nil, ["198.51.100.7"], "198.51.100.7"), (nil, [], nil),
        ] as [(String?, [String], String?)])
    func `The client is the last address that is not a trusted proxy's`(
        connection: String?, forwarded: [String], expected: String?
    ) throws {
        #expect(try client(connection, forwarded) == expected)
    }

    @Test func `Addresses of one IPv6 network, and an IPv4 address in both spellings, are one client`() throws
    {
        func key(_ text: String) throws -> ClientKey { ClientKey(try address(text)) }
        #expect(try key("2001:db8:1:2::1") == key("2001:db8:1:2:ffff::"))
        #expect(try key("2001:db8:1:2::1") != key("2001:db8:1:3::1"))
        #expect(try key("::ffff:192.0.2.1") == key("192.0.2.1"))
        #expect(try key("::ffff:192.0.2.1") != key("::ffff:192.0.2.2"))
        #expect(try key("192.0.2.1") != key("192.0.2.2"))
    }
}

@Suite struct RateLimiterTests {
    private func client(_ number: Int) throws -> ClientKey {
        ClientKey(try #require(IPAddress("10.\(number >> 16).\(number >> 8 & 255).\(number & 255)")))
    }

    @Test func `A client has its burst at once, and then the rate`() throws {
        let limiter = RateLimiter(rate: 2, burst: 3)
        let (one, other, now) = (try client(1), try client(2), ContinuousClock.now)
        for _ in 0..<3 { #expect(limiter.delay(of: one, at: now) == nil) }
        #expect(limiter.delay(of: one, at: now) == 0.5)
        #expect(limiter.delay(of: other, at: now) == nil)
        #expect(limiter.delay(of: one, at: now + .milliseconds(250)) == 0.25)
        #expect(limiter.delay(of: one, at: now + .milliseconds(500)) == nil)
        #expect(limiter.delay(of: one, at: now + .milliseconds(500)) != nil)
        for _ in 0..<3 { #expect(limiter.delay(of: one, at: now + .seconds(60)) == nil) }
        #expect(limiter.delay(of: one, at: now + .seconds(60)) != nil)
    }

    @Test func `Many clients do not displace one that has used its burst`() throws {
        let limiter = RateLimiter(rate: 0.001, burst: 2)
        let (one, now) = (try client(0), ContinuousClock.now)
        for _ in 0..<2 { _ = limiter.delay(of: one, at: now) }
        for number in 1...RateLimiter.maximumBuckets + 10 {
            _ = limiter.delay(of: try client(number), at: now)
        }
        #expect(limiter.delay(of: one, at: now) != nil)
    }
}

@Suite struct ServerStateTests {
    @Test func `A server is not ready while its queue has been full for five seconds, or while it stops`() {
        let (state, now) = (ServerState(), ContinuousClock.now)
        #expect(state.isReady(at: now))
        state.queueChanged(waiting: 5, of: 5, at: now)
        state.queueChanged(waiting: 5, of: 5, at: now + .seconds(3))
        #expect(state.isReady(at: now + .seconds(4)))
        #expect(!state.isReady(at: now + .seconds(5)))
        state.queueChanged(waiting: 4, of: 5, at: now + .seconds(6))
        #expect(state.isReady(at: now + .seconds(9)))
        state.stop()
        #expect(!state.isReady(at: now + .seconds(9)))
    }
}
