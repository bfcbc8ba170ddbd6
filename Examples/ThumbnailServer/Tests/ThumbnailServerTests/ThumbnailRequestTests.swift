import Foundation
import Testing

@testable import ThumbnailServer

@Suite struct ThumbnailRequestTests {
    @Test(arguments: [
        ["url": "https://example.com/a.jpg", "width": "10"],
        ["url": "https://example.com/a.jpg", "width": "0", "height": "10"],
        ["url": "https://example.com/a.jpg", "width": "10", "height": "2049"],
        ["url": "https://example.com/a.jpg", "width": "ten", "height": "10"],
        ["url": "file:///etc/passwd", "width": "10", "height": "10"],
        ["url": "https:///a.jpg", "width": "10", "height": "10"],
        ["width": "10", "height": "10"],
    ])
    func `A missing or malformed parameter is refused`(_ query: [String: String]) {
        #expect(ThumbnailRequest(query: query.map { ($0.key, $0.value) }) == nil)
    }

    @Test func `The first value of a repeated parameter is used`() throws {
        let query = [("url", "https://a.example/"), ("width", "1"), ("height", "2"), ("width", "3")]
        let request = try #require(ThumbnailRequest(query: query.map { (name: $0.0, value: $0.1) }))
        #expect(request.size == CGSize(width: 1, height: 2))
    }
}

@Suite struct ServerOptionsTests {
    @Test func `All options are parsed`() throws {
        let options = try #require(
            ServerOptions([
                "9000", "--any-address", "--folder", "/var/cache/x", "--memory-cache", "8", "--shared",
                "redis://a", "--metrics", "--connections", "7", "--write-seconds", "3",
            ]))
        #expect(options.port == 9_000 && options.anyAddress && options.memoryCache == 8)
        #expect(options.shared == "redis://a" && options.metrics)
        #expect(options.connections == 7 && options.writeSeconds == 3)
        #expect(options.folder?.path == "/var/cache/x")
    }

    @Test func `Without arguments, only public addresses are allowed`() {
        #expect(ServerOptions([]) == ServerOptions() && !ServerOptions().anyAddress)
    }

    @Test(arguments: [
        ["--any"], ["65536"], ["--folder"], ["--memory-cache"], ["--memory-cache", "0"], ["--shared"],
        ["--connections", "0"], ["--write-seconds"],
    ])
    func `An invalid argument is refused`(_ arguments: [String]) { #expect(ServerOptions(arguments) == nil) }
}
