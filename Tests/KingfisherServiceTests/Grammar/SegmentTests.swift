import Foundation
import Testing

@testable import KingfisherService

/// Splitting and decoding of a path, presets, and names of images.
struct SegmentTests {
    @Test(arguments: [
        ("/S", 403), ("/S/", 400), ("/S/bw", 400), ("/S/bw/", 400), ("/S//plain/H/a.jpg", 400),
        ("/S/bw//plain/H/a.jpg", 400), ("/S/plain", 400), ("/S/plain/", 400), ("/S/plain/@webp", 400),
        ("/S/b64", 400), ("/S/b64/", 400), ("/S/b64/.png", 400), ("/S/b64////", 400),
        ("/S/Plain/H/a.jpg", 400), ("/S/pl%61in/H/a.jpg", 400), ("/S/bw%2Fplain/H/a.jpg", 400),
        ("/S/./plain/H/a.jpg", 400), ("/S/../plain/H/a.jpg", 400), ("/S/bw:/plain/H/a.jpg", 400),
        ("/S/bw:1/plain/H/a.jpg", 400), ("/S/blur:%20/plain/H/a.jpg", 400), ("/S/:/plain/H/a.jpg", 400),
        ("/S/%/plain/H/a.jpg", 400), ("/S/bw%2/plain/H/a.jpg", 400), ("/S/bw%zz/plain/H/a.jpg", 400),
        ("/S/bw%00/plain/H/a.jpg", 400), ("/S/bw%7F/plain/H/a.jpg", 400), ("/S/bw%C2%85/plain/H/a.jpg", 400),
        ("/S/bw%FF/plain/H/a.jpg", 400), ("/S/bw%C0%AF/plain/H/a.jpg", 400),
        ("/S/bw%ED%A0%80/plain/H/a.jpg", 400), ("/S/bw\u{301}/plain/H/a.jpg", 400),
        ("/S/plain/H/a%0A.jpg", 400), ("/S/plain/H/%ff.jpg", 400), ("/S/plain/H/a%.jpg", 400),
    ])
    func `A malformed path has its status`(_ path: String, status: Int) throws {
        #expect(try NativeFixture().failure(path)?.status == status)
    }

    @Test(arguments: [
        ("/S/plain/H/a.jpg@", 400), ("/S/plain/H/a.jpg@jpg", 400), ("/S/plain/H/a.jpg@auto", 400),
        ("/S/plain/H/a.jpg@original", 400), ("/S/plain/H/a.jpg@WEBP", 400), ("/S/plain/H/a.jpg@we%62p", 400),
        ("/S/plain/H/a@b.jpg@webp", 400), ("/S/plain/H/a.jpg@webp/", 400),
        ("/S/plain/H/a.jpg@webp@webp", 400),
        ("/S/format:auto/plain/H/a.jpg@webp", 400), ("/S/format:original/plain/H/a.jpg@webp", 400),
        ("/S/b64/aHR0cHM6Ly9lLmNvbS9hLmpwZw.png.png", 400), ("/S/b64/aHR0cHM6Ly9lLmNvbS9hLmpwZw.", 400),
        ("/S/b64/aHR0cHM6Ly9lLmNvbS9hLmpwZw@png", 400), ("/S/b64/aHR0cHM6Ly9lLmNvbS9hLmpwZ+", 400),
        ("/S/b64/aHR0cHM6Ly9lLmNvbS9hLmpwZx", 400), ("/S/b64/a", 400), ("/S/b64/_w", 400),
        ("/S/b64/aHR0cHM6Ly9lLmNvbS9hCg", 400), ("/S/b64/aHR0cHM6Ly9lLmNvbS9hLmpwZw%3D", 400),
        ("/S/upload", 400), ("/S/upload@webp", 400), ("/S/expires:1893456000/upload/", 400),
        ("/S/expires:1893456000/upload/a", 400), ("/S/expires:1893456000/upload@", 400),
        ("/S/expires:1893456000/upload@tiff", 400), ("/S/expires:1893456000/upload@webp/a", 400),
        ("/S/expires:1893456000/uploads", 400), ("/S/expires:1893456000/upload%40webp", 400),
    ])
    func `A malformed source or format has its status`(_ path: String, status: Int) throws {
        #expect(try NativeFixture().failure(path)?.status == status)
    }

    @Test(arguments: [
        "/S/format:webp/plain/H/a.jpg@webp", "/S/format:webp/plain/H/a.jpg", "/S/plain/H/a.jpg@webp",
        "/S/b64/aHR0cHM6Ly9lLmNvbS9hLmpwZw.webp", "/S/b64/aH/R0/cHM6Ly9lLmNvbS9hLmpwZw==.webp",
        "/S/b64/aHR0cHM6Ly9lLmNvbS9hLmpwZw/==.webp", "/S/%66ormat:webp/plain/H/a.jpg",
        "/S/format%3Awebp/plain/H/a.jpg", "/S/preset:webp/plain/H/a.jpg", "/S/preset:avif,webp/plain/H/a.jpg",
        "/S/preset:avif/plain/H/a.jpg@webp", "/S/preset:avif/format:webp/plain/H/a.jpg",
        "/S/format:webp/preset:avif/plain/H/a.jpg",
    ])
    func `Spellings of a path with one meaning have one canonical path`(_ path: String) throws {
        var fixture = NativeFixture()
        fixture.settings.presets = ["webp": "format:webp", "avif": "format:avif"]
        let urls = try ServiceURLs(fixture.settings)
        #expect(urls.path(for: try fixture.read(path)) == "/plain/https://e.com/a.jpg@webp")
    }

    @Test(arguments: [
        ("preset:card", ["cover:300x200,top"], "/quality:75/frames:all"),
        ("bw/preset:small/trim", ["bw", "downsample:64x64", "trim"], "/quality:40"),
        (
            "preset:small,card,small", ["downsample:64x64", "cover:300x200,top", "downsample:64x64"],
            "/quality:40/frames:all"
        ),
        ("preset:mixed", ["bw"], "/quality:80,webp=70/lossless/tag:a"),
        ("quality:60/preset:mixed", ["bw"], "/quality:60/lossless/tag:a"),
        ("preset:mixed/quality:jpeg=60/tag:b,c", ["bw"], "/quality:jpeg=60/lossless/tag:b,c"),
        ("preset:mixed,small", ["bw", "downsample:64x64"], "/quality:40/lossless/tag:a"),
    ])
    func `A preset is replaced by its steps, and its options yield`(
        _ segments: String, steps: [String], options: String
    ) throws {
        let fixture = NativeFixture()
        let request = try fixture.read("/S/\(segments)/plain/H/a.jpg")
        #expect(request.steps.map(\.text) == steps)
        let format = segments.contains("mixed") ? "@avif" : ""
        let head = steps.map { "/" + $0 }.joined() + options
        let path = try ServiceURLs(fixture.settings).path(for: request)
        #expect(path == head + "/plain/https://e.com/a.jpg" + format)
    }

    @Test func `A preset for information is 400 for an image`() throws {
        #expect(try NativeFixture().failure("/S/preset:hashes/plain/H/a.jpg")?.status == 400)
        #expect(try NativeFixture().read("/info/S/preset:hashes/plain/H/a.jpg").options.hasThumbHash)
    }

    @Test(arguments: [(32, nil), (33, 400)] as [(Int, Int?)])
    func `A URL has at most 32 segments`(_ count: Int, status: Int?) throws {
        let steps = String(repeating: "/bw", count: count)
        #expect(try NativeFixture().failure("/S\(steps)/plain/H/a.jpg@webp")?.status == status)
        let names = Array(repeating: "one", count: count - 1).joined(separator: ",")
        var fixture = NativeFixture()
        fixture.settings.presets = ["one": "bw"]
        #expect(try fixture.failure("/S/preset:\(names)/plain/H/a.jpg")?.status == status)
    }

    @Test func `A path has at most 8192 bytes`() throws {
        let urls = try ServiceURLs(NativeFixture.unsigned().settings)
        let head = "/unsafe/plain/https://e.com/"
        let path = head + String(repeating: "a", count: 8_192 - head.utf8.count)
        let request = try urls.request(path: path, now: 0)
        #expect(request.source.name?.utf8.count == 8_192 - "/unsafe/plain/".utf8.count)
        #expect(throws: ServiceError(414, "The path has more than 8192 bytes.")) {
            try urls.request(path: path + "a", now: 0)
        }
    }

    @Test(arguments: [
        (CGSize(width: 100, height: 50), true), (CGSize(width: 101, height: 1), false),
        (CGSize(width: 1, height: 101), false), (CGSize(width: 100, height: 51), false),
        (CGSize(width: 0, height: 100), true), (CGSize(width: 0, height: 101), false),
    ])
    func `Sizes are within the side and the pixels of the settings`(_ size: CGSize, isAllowed: Bool) {
        var settings = ServiceSettings(signing: .off)
        (settings.maximumResultSide, settings.maximumResultPixels) = (100, 5_000)
        #expect(StepLimits(settings).allow(size) == isAllowed)
    }
}
