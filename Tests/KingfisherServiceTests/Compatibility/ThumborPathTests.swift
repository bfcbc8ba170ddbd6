import Foundation
import Testing

@testable import KingfisherService

struct ThumborPathTests {
    private static let image = "e.com/a.jpg"

    private func steps(_ parts: String) throws -> [String] {
        try Fixture.thumbor("\(parts)/\(Self.image)").texts
    }

    @Test(arguments: [
        ("300x200", ["cover:300x200,enlarge"]), ("300x0", ["fit:300x0,enlarge"]),
        ("300x", ["fit:300x0,enlarge"]),
        ("x200", ["fit:0x200,enlarge"]), ("0x200", ["fit:0x200,enlarge"]), ("0x0", []), ("x", []),
        ("-300x200", ["cover:300x200,enlarge", "flip:horizontal"]),
        ("300x-200", ["cover:300x200,enlarge", "flip:vertical"]),
        ("-300x-200", ["cover:300x200,enlarge", "flip:horizontal", "flip:vertical"]),
        ("-0x0", ["flip:horizontal"]), ("-x-", ["flip:horizontal", "flip:vertical"]),
        ("-x200", ["fit:0x200,enlarge", "flip:horizontal"]), ("fit-in/300x200", ["fit:300x200"]),
        ("fit-in/300x0", ["fit:300x0"]), ("fit-in/-300x200", ["fit:300x200", "flip:horizontal"]),
        ("fit-in/300x200/filters:upscale()", ["fit:300x200,enlarge"]), ("fit-in", []),
        ("300x200/filters:no_upscale()", ["cover:300x200"]), ("300x0/filters:no_upscale()", ["fit:300x0"]),
        ("300x200/filters:upscale()", ["cover:300x200,enlarge"]),
        ("300x200/left", ["cover:300x200,left,enlarge"]), ("300x200/right", ["cover:300x200,right,enlarge"]),
        ("300x200/center/middle", ["cover:300x200,enlarge"]), ("300x200/top", ["cover:300x200,top,enlarge"]),
        ("300x200/bottom", ["cover:300x200,bottom,enlarge"]),
        ("300x200/left/top", ["cover:300x200,topLeft,enlarge"]),
        ("300x200/right/bottom", ["cover:300x200,bottomRight,enlarge"]),
        ("300x200/center/top/filters:no_upscale()", ["cover:300x200,top"]),
        ("10x20:110x70", ["cut:10,20,100x50"]), ("0x0:0x0", []),
        ("10x20:110x70/50x50", ["cut:10,20,100x50", "cover:50x50,enlarge"]),
        ("trim", ["trim:0"]), ("trim:26", ["trim:0.058824"]), ("trim:442", ["trim:1"]),
        ("trim:top-left", ["trim:0"]), ("trim:top-left:221", ["trim:0.5"]),
        ("trim/0x0:9x9/fit-in/30x20", ["trim:0", "cut:0,0,9x9", "fit:30x20"]),
    ])
    func `Each part becomes a step`(_ parts: String, _ expected: [String]) throws {
        #expect(try steps(parts) == expected)
    }

    @Test(arguments: [
        ("e.com/a.jpg", "https://e.com/a.jpg"), ("http://e.com/a.jpg", "http://e.com/a.jpg"),
        ("https%3A%2F%2Fe.com%2Fa.jpg", "https://e.com/a.jpg"),
        ("e.com:8443/a.jpg", "https://e.com:8443/a.jpg"),
        ("e.com/a%2520b.jpg", "https://e.com/a%20b.jpg"), ("e.com/a.jpg%3Fw=1", "https://e.com/a.jpg?w=1"),
        ("e.com/300x200/a.jpg", "https://e.com/300x200/a.jpg"),
        ("e.com/trim/a.jpg", "https://e.com/trim/a.jpg"),
        ("e.com/filters:x()/a.jpg", "https://e.com/filters:x()/a.jpg"), ("300x200/e.com/", "https://e.com/"),
        ("e.com/a+b.jpg", "https://e.com/a+b.jpg"),
    ])
    func `The image is what follows the parts, decoded once`(_ path: String, _ source: String) throws {
        #expect(try Fixture.thumbor(path).source == Fixture.http(source))
    }

    @Test func `The scheme of the settings is added to an image without one`() throws {
        let settings = Fixture.settings { $0.thumbor?.scheme = "http" }
        #expect(try Fixture.thumbor("e.com/a.jpg", settings).source == Fixture.http("http://e.com/a.jpg"))
        #expect(
            try Fixture.thumbor("https://e.com/a.jpg", settings).source == Fixture.http("https://e.com/a.jpg")
        )
    }

    @Test func `Smart crops are centred if the settings say so`() throws {
        let settings = Fixture.settings { $0.smartCrop = .center }
        #expect(
            try Fixture.thumbor("300x200/left/top/smart/e.com/a.jpg", settings).texts == [
                "cover:300x200,enlarge"
            ])
        #expect(try Fixture.thumbor("fit-in/300x200/smart/e.com/a.jpg", settings).texts == ["fit:300x200"])
    }

    @Test func `Formats are negotiated if the settings allow it`() throws {
        let settings = Fixture.settings { $0.negotiatesCompatibleURLs = true }
        #expect(try Fixture.thumbor("e.com/a.jpg", settings).isNegotiable)
        #expect(try Fixture.thumbor("e.com/a.jpg").isNegotiable == false)
    }

    @Test(arguments: [
        ("meta/300x200", "meta"), ("debug/300x200", "debug"), ("full-fit-in/300x200", "full-fit-in"),
        ("adaptive-fit-in/300x200", "adaptive-fit-in"), ("adaptive-full-fit-in/3x2", "adaptive-full-fit-in"),
        ("stretch/300x200", "stretch"), ("fit-in/stretch/300x200", "stretch"), ("trim/meta/3x2", "meta"),
        ("origx200", "orig"), ("300xorig", "orig"), ("-origx-orig", "orig"), ("300x200/smart", "smart"),
        ("smart", "smart"), ("300x200/left/top/smart", "smart"), ("0.1x0.1:0.9x0.9", "A relative crop"),
        ("10px10p:90px90p", "A relative crop"), ("trim:bottom-right", "trim:bottom-right"),
        ("trim:bottom-right:5", "trim:bottom-right"), ("300x200/5x6", "padding 5x6"),
        ("fit-in/300x200/1x2:3x4", "padding 1x2:3x4"),
    ])
    func `A part without an equivalent is 400 with its name`(_ parts: String, _ name: String) throws {
        let error = try #require(refusal("\(parts)/\(Self.image)"))
        #expect(error.status == 400)
        #expect(error.message.hasPrefix("\(name) is not supported: "))
    }

    @Test(arguments: [
        "300x200/", "", "fit-in/", "trim:/e.com", "trim:443/e.com", "trim:-1/e.com", "trim:5:5/e.com",
        "trim:top-left:5:5/e.com", "10x10:10x20/e.com", "20x20:10x10/e.com", "0x0:0x5/e.com", "9000x1/e.com",
        "8000x8000/e.com", "300x200/b64:aHR0cHM6Ly9lLmNvbQ", "e.com/%zz", "e.com/%00", "e.com/%C0%AF",
        "e.com/%ff", "999999999999999x1/e.com", "40000x0:80001x1/e.com",
    ])
    func `A malformed part is 400`(_ path: String) {
        #expect(refusal(path)?.status == 400)
    }

    @Test func `Without thumbor in the settings every path is 404`() {
        let settings = Fixture.settings { $0.thumbor = nil }
        let error = Fixture.error { () throws(ServiceError) in try Fixture.thumbor("e.com/a.jpg", settings) }
        #expect(error?.status == 404)
    }

    private func refusal(_ path: String) -> ServiceError? {
        Fixture.error { () throws(ServiceError) in try Fixture.thumbor(path) }
    }
}
