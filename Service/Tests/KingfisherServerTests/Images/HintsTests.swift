import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

@testable import KingfisherServer

/// Client hints over the socket.
@Suite struct HintsTests {
    @Test func `A hint shrinks the box to a width of the settings, if the URL allows it`() async throws {
        let photo = try Fixtures.data(named: "Photos/chelsea.jpg")
        let origin = try LoopbackServer { request in
            request.path.contains("none") ? .status(404) : .ok(photo)
        }
        defer { origin.stop() }
        try await ServerUnderTest.run { settings in
            settings.hintWidths = [64, 128]
        } _: { server in
            func width(_ path: String, _ fields: [String: String] = [:]) async throws -> CGFloat? {
                Image(data: try await server.request(path, fields: fields).body)?.size.width
            }
            let path = try server.path(origin.url("/cat.jpg"), "hints/cover:300x150")
            #expect(try await width(path) == 300)
            #expect(try await width(path, ["Sec-CH-Width": "50"]) == 64)
            #expect(try await width(path, ["Width": "100"]) == 128)
            #expect(try await width(path, ["Sec-CH-Width": "200"]) == 300)
            let plain = try server.path(origin.url("/cat.jpg"), "cover:300x150")
            #expect(try await width(plain, ["Sec-CH-Width": "50"]) == 300)
            #expect(try await server.request(plain).value("Vary") == "Accept")
            let missing = try server.path(origin.url("/none.jpg"), "hints/cover:300x150")
            for varied in [path, missing] {
                #expect(try await server.request(varied).value("Vary") == "Accept, Sec-CH-Width, Width")
            }
            #expect(origin.requestCount() == 2)
        }
    }
}
