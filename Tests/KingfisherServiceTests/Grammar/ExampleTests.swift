import Foundation
import KingfisherImage
import Testing

@testable import KingfisherService

/// The examples of the grammar: what each path means.
struct ExampleTests {
    struct Example: Sendable, CustomTestStringConvertible {
        var path: String
        var steps: [String] = []
        var source = "https://e.com/a.jpg"
        var options = ServiceOptions()
        var testDescription: String { path }

        init(
            _ path: String, _ steps: [String] = [], source: String = "https://e.com/a.jpg",
            _ options: (inout ServiceOptions) -> Void = { _ in }
        ) {
            (self.path, self.steps, self.source) = (path, steps, source)
            self.options = NativeFixture.options(options)
        }
    }

    static let steps = [
        Example("/S/plain/H/a.jpg"),
        Example("/S/fit:300x200/plain/H/a.jpg", ["fit:300x200"]),
        Example("/S/fit:300x0/plain/H/a.jpg", ["fit:300x0"]),
        Example("/S/cover:300x200,top/plain/H/a.jpg@webp", ["cover:300x200,top"]) {
            $0.format = NativeFixture.webp
        },
        Example("/S/cover:300x200,0.3,0.6/plain/H/a.jpg", ["cover:300x200,0.3,0.6"]),
        Example("/S/crop:800x800/fit:300x300/plain/H/a.jpg", ["crop:800x800", "fit:300x300"]),
        Example("/S/fit:300x300/crop:800x800/plain/H/a.jpg", ["fit:300x300", "crop:800x800"]),
        Example("/S/cut:10,20,200x100/plain/H/a.jpg", ["cut:10,20,200x100"]),
        Example(
            "/S/trim/bw/fit:64x64/plain/H/a.png", ["trim", "bw", "fit:64x64"], source: "https://e.com/a.png"),
        Example("/S/round:20,tl+br,%23fff/plain/H/a.jpg", ["round:20,tl+br,#fff"]),
        Example("/S/round:50%25w/plain/H/a.jpg", ["round:50%w"]),
        Example("/S/watermark:logo,bottomRight,0.5/plain/H/a.jpg", ["watermark:logo,bottomRight,0.5"]),
        Example("/S/preset:card/quality:60/plain/H/a.jpg", ["cover:300x200,top"]) {
            ($0.quality, $0.frames) = (60, .all)
        },
        Example("/S/preset:card,small/plain/H/a.jpg", ["cover:300x200,top", "downsample:64x64"]) {
            ($0.quality, $0.frames) = (40, .all)
        },
        Example(
            "/S/frames:all/fit:200x200/plain/H/a.gif@webp", ["fit:200x200"], source: "https://e.com/a.gif"
        ) {
            ($0.frames, $0.format) = (.all, NativeFixture.webp)
        },
    ]

    static let options = [
        Example("/S/quality:75/format:avif/plain/H/a.jpg") {
            ($0.quality, $0.format) = (75, NativeFixture.avif)
        },
        Example("/S/maximumBytes:20000/plain/H/a.jpg@jpeg") {
            ($0.maximumBytes, $0.format) = (20_000, .exactly(.JPEG))
        },
        Example("/S/version:7/plain/H/a.jpg") { $0.version = "7" },
        Example("/S/expires:1893456000/plain/H/a.jpg") { $0.expires = 1_893_456_000 },
        Example("/S/tag:product-17,home/plain/H/a.jpg") { $0.tags = ["product-17", "home"] },
        Example("/S/fallback:grey/plain/H/gone.jpg", source: "https://e.com/gone.jpg") {
            $0.fallback = "grey"
        },
        Example("/S/filename:p%20q.jpg/attachment/plain/H/a.jpg") {
            ($0.filename, $0.isAttachment) = ("p q.jpg", true)
        },
    ]

    static let sources = [
        Example("/S/plain/H/a%2520b.jpg", source: "https://e.com/a%20b.jpg"),
        Example("/S/plain/H/a%20b.jpg", source: "https://e.com/a%20b.jpg"),
        Example("/S/plain/H/100%25.jpg", source: "https://e.com/100%25.jpg"),
        Example("/S/plain/H/%E4%B8%AD.jpg", source: "https://e.com/%E4%B8%AD.jpg"),
        Example("/S/plain/H/a+b.jpg", source: "https://e.com/a+b.jpg"),
        Example("/S/plain/H/a.jpg%3Fw=1%26h=2", source: "https://e.com/a.jpg?w=1&h=2"),
        Example("/S/plain/H/%40user/a.jpg@png", source: "https://e.com/@user/a.jpg") {
            $0.format = .exactly(.PNG)
        },
        Example("/S/plain/https%3A%2F%2Fe.com%2Fa.jpg@jpeg") { $0.format = .exactly(.JPEG) },
        Example("/S/b64/aHR0cHM6Ly9lLmNvbS9h/LmpwZw==.png") { $0.format = .exactly(.PNG) },
        Example("/S/plain/s3://photos/2026/a%20b.jpg", source: "s3://photos/2026/a b.jpg"),
    ]

    @Test(arguments: steps + options + sources)
    func `A valid path is its request`(_ example: Example) throws {
        let request = try NativeFixture().read(example.path)
        #expect(request.kind == .image)
        #expect(request.steps.map(\.text) == example.steps)
        #expect(request.source.name == example.source)
        #expect(request.options == example.options)
        #expect(request.isNegotiable)
    }

    @Test(arguments: [
        ("/S/round:50%w/plain/H/a.jpg", 400),
        ("/S/watermark:logo.png/plain/H/a.jpg", 400),
        ("/S/watermark:..%2Flogo/plain/H/a.jpg", 400),
        ("/S/watermark:https%3A%2F%2Fe.com%2Flogo/plain/H/a.jpg", 400),
        ("/S/format:avif/plain/H/a.jpg@webp", 400),
        ("/S/quality:60/quality:70/plain/H/a.jpg", 400),
        ("/S/plain/H/@user/a.jpg", 400),
        ("/S/plain/https://e.com%40evil.org/a.jpg", 400),
        ("/S/plain/local:///2026/../a.jpg", 400),
        ("/unsafe/fit:300x300/plain/H/a.jpg", 403),
        ("/S/preset:card/preset:small/plain/H/a.jpg", 400),
    ])
    func `An invalid path has its status`(_ path: String, status: Int) throws {
        #expect(try NativeFixture().failure(path)?.status == status)
    }

    @Test func `A fragment is not sent, so its signature is invalid`() throws {
        let fixture = NativeFixture()
        let path = fixture.signed("/S/pad:600x600,#fff/plain/H/a.jpg")
        #expect(try fixture.failure(path)?.status == 400)
        #expect(try fixture.failure(String(path.prefix { $0 != "#" }))?.status == 403)
    }

    @Test func `A query of a native URL is 400`() throws {
        let failure = try NativeFixture().failure("/S/plain/H/a.jpg", query: "w=1")
        #expect(failure?.status == 400)
        #expect(failure?.message == "Write ? as %3F.")
        #expect(try NativeFixture().failure("/S/plain/H/a.jpg", query: "")?.status == 400)
        #expect(try NativeFixture().failure("/S/plain/H/a.jpg?w=1")?.status == 400)
    }

    @Test func `A URL expires after its second`() throws {
        let fixture = NativeFixture()
        let path = "/S/expires:1893456000/plain/H/a.jpg"
        #expect(try fixture.read(path, now: 1_893_456_000).options.expires == 1_893_456_000)
        #expect(try fixture.failure(path, now: 1_893_456_001)?.status == 410)
        #expect(try fixture.failure("/S/expires:0/plain/H/a.jpg")?.status == 410)
    }

    @Test func `An upload has the body's image`() throws {
        let request = try NativeFixture().read("/S/fit:300x300/expires:1893456000/upload@webp")
        #expect(request.source == .upload)
        #expect(request.steps.map(\.text) == ["fit:300x300"])
        #expect(request.options.format == NativeFixture.webp)
    }

    @Test func `Information has its own signature`() throws {
        let fixture = NativeFixture()
        let request = try fixture.read("/info/S/plain/H/a.jpg")
        #expect(request.kind == .information)
        #expect(request.source.name == "https://e.com/a.jpg")
        #expect(try fixture.failure("/info" + fixture.signed("/S/plain/H/a.jpg"))?.status == 403)
    }

    @Test func `Without signing the signature is unsafe`() throws {
        let fixture = NativeFixture.unsigned()
        #expect(try fixture.read("/unsafe/fit:300x300/plain/H/a.jpg").steps.map(\.text) == ["fit:300x300"])
        #expect(try fixture.read("/info/unsafe/plain/H/a.jpg").kind == .information)
        let signed = NativeFixture().signed("/S/plain/H/a.jpg")
        for path in [signed, "/Unsafe/plain/H/a.jpg", "/unsaf%65/plain/H/a.jpg", "/unsafe"] {
            #expect(try fixture.failure(path)?.status == 403)
        }
    }
}
