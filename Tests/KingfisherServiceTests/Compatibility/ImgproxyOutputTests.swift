import KingfisherImage
import Testing

@testable import KingfisherService

struct ImgproxyOutputTests {
    private static let webP = ImageFormat(name: "WEBP")
    private static let avif = ImageFormat(name: "AVIF")

    @Test(arguments: [
        ("q:80", Fixture.options { $0.quality = 80 }), ("quality:100", Fixture.options { $0.quality = 100 }),
        ("q:80/q:0", ServiceOptions()),
        ("fq:jpeg:80:avif:50", Fixture.options { $0.formatQualities = [.JPEG: 80, avif: 50] }),
        ("format_quality:webp:70/fq:webp:0", ServiceOptions()),
        ("fq:webp:70/fq:png:90", Fixture.options { $0.formatQualities = [webP: 70, .PNG: 90] }),
        ("q:80/fq:webp:70", Fixture.options { $0.quality = 80 }),
        ("mb:20000", Fixture.options { $0.maximumBytes = 20_000 }), ("max_bytes:0", ServiceOptions()),
        ("f:webp", Fixture.options { $0.format = .exactly(webP) }),
        ("format:jpg", Fixture.options { $0.format = .exactly(.JPEG) }),
        ("ext:avif", Fixture.options { $0.format = .exactly(avif) }),
        ("f:jxl", Fixture.options { $0.format = .exactly(ImageFormat(name: "JXL")) }),
        ("f:gif/f:png", Fixture.options { $0.format = .exactly(.PNG) }),
        ("cb:v7", Fixture.options { $0.version = "v7" }), ("cachebuster:", ServiceOptions()),
        ("exp:1893456000", Fixture.options { $0.expires = 1_893_456_000 }), ("expires:0", ServiceOptions()),
        ("fn:photo", Fixture.options { $0.filename = "photo" }),
        ("fn:p%20q", Fixture.options { $0.filename = "p q" }),
        ("filename:cGhvdG8gMQ:1", Fixture.options { $0.filename = "photo 1" }),
        ("fn:cGhvdG8gMQ:0", Fixture.options { $0.filename = "cGhvdG8gMQ" }),
        ("att:1", Fixture.options { $0.isAttachment = true }),
        ("return_attachment:true", Fixture.options { $0.isAttachment = true }),
        ("ct:product-17:home", Fixture.options { $0.tags = ["product-17", "home"] }),
        ("da:1", Fixture.options { $0.frames = .first }), ("da:1/disable_animation:0", ServiceOptions()),
        ("sm:0", Fixture.options { $0.metadata = .keep }),
        ("kcr:1", Fixture.options { $0.metadata = .copyright }),
        ("strip_metadata:0/keep_copyright:1", Fixture.options { $0.metadata = .keep }),
        ("sm:1/kcr:1", Fixture.options { $0.metadata = .copyright }),
    ])
    func `An option of the file becomes an option`(_ options: String, _ expected: ServiceOptions) throws {
        let request = try Fixture.imgproxy("\(options)/\(Fixture.source)")
        #expect(request.options == expected)
        #expect(request.texts == [])
        #expect(!request.isNegotiable)
    }

    @Test(arguments: [
        ("plain/https://e.com/a.jpg@png", "https://e.com/a.jpg", ImageFormat.PNG as ImageFormat?),
        ("f:gif/plain/https://e.com/a.jpg@png", "https://e.com/a.jpg", .PNG),
        ("plain/https://e.com/a.jpg@", "https://e.com/a.jpg", nil),
        ("plain/https://e.com/a.jpg%40png", "https://e.com/a.jpg@png", nil),
        ("plain/https%3A%2F%2Fe.com%2Fa.jpg@jpeg", "https://e.com/a.jpg", .JPEG),
        ("plain/https://e.com/a%2520b.jpg", "https://e.com/a%20b.jpg", nil),
        ("plain/https://e.com/a+b.jpg", "https://e.com/a+b.jpg", nil),
        ("aHR0cHM6Ly9lLmNvbS9hLmpwZw", "https://e.com/a.jpg", nil),
        ("aHR0cHM6Ly9lLmNvbS9hLmpwZw==", "https://e.com/a.jpg", nil),
        ("aHR0cHM6/Ly9lLmNvbS9h/LmpwZw.png", "https://e.com/a.jpg", .PNG),
        ("w:0/aHR0cHM6Ly9lLmNvbS9h/LmpwZw.", "https://e.com/a.jpg", nil),
    ])
    func `A source is plain or Base64, with a format or not`(
        _ path: String, _ source: String, _ format: ImageFormat?
    ) throws {
        let request = try Fixture.imgproxy(path)
        #expect(try request.source == Fixture.http(source))
        #expect(request.options.format == format.map { .exactly($0) } ?? .negotiated)
    }

    @Test func `Formats are negotiated if the settings allow it`() throws {
        let settings = Fixture.settings { $0.negotiatesCompatibleURLs = true }
        #expect(try Fixture.imgproxy(Fixture.source, settings).isNegotiable)
        #expect(try Fixture.imgproxy(Fixture.source).isNegotiable == false)
    }

    @Test(arguments: [(100, nil), (101, 404)] as [(Int, Int?)])
    func `A URL is 404 after the second in which it expires`(_ now: Int, _ status: Int?) {
        let error = Fixture.error { () throws(ServiceError) in
            try Fixture.imgproxy("exp:100/\(Fixture.source)", now: now)
        }
        #expect(error?.status == status)
    }
}
