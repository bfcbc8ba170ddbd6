import KingfisherImage
import Testing

@testable import KingfisherService

struct ThumborFilterTests {
    private func request(_ filters: String, _ size: String = "", now: Int = 0) throws(ServiceError)
        -> ServiceRequest
    {
        try Fixture.thumbor("\(size)filters:\(filters)/e.com/a.jpg", now: now)
    }

    @Test(arguments: [
        ("grayscale()", ["color:0,1,0"]), ("brightness(20)", ["color:0.2,1,1"]),
        ("brightness(-100)", ["color:-1,1,1"]), ("contrast(-25)", ["color:0,0.75,1"]),
        ("contrast(10.5)", ["color:0,1.105,1"]), ("saturation(30)", ["color:0,1,1.3"]),
        ("saturation(-100)", ["color:0,1,0"]), ("blur(5)", ["blur:5"]), ("blur(10,3)", ["blur:3"]),
        ("blur(0)", []), ("rotate(90)", ["rotate:270"]), ("rotate(180)", ["rotate:180"]),
        ("rotate(270)", ["rotate:90"]), ("rotate(0)", []), ("rotate(360)", []),
        ("round_corner(20)", ["round:20"]), ("round_corner(20,255,255,255)", ["round:20,#ffffff"]),
        ("round_corner(20|20,1,2,3)", ["round:20,#010203"]), ("round_corner(20,0,0,0,1)", ["round:20"]),
        ("round_corner(20,0,0,0,false)", ["round:20,#000000"]),
        ("background_color(fff)", ["blend:normal,#fff"]),
        ("background_color(%23FFCC00)", ["blend:normal,#ffcc00"]),
        ("background_color(Red)", ["blend:normal,#ff0000"]), ("fill(red)", []), ("strip_exif()", []),
        ("strip_icc()", []), ("strip_exif():strip_icc()", []), ("fill(red,1)", ["blend:normal,#ff0000"]),
        ("blur(5):grayscale():rotate(90)", ["blur:5", "color:0,1,0", "rotate:270"]),
        ("blur( 5 )", ["blur:5"]), ("round_corner(20,%20255, 0,0)", ["round:20,#ff0000"]),
    ])
    func `A filter becomes a step, in the order of the URL`(_ filters: String, _ expected: [String]) throws {
        #expect(try request(filters).texts == expected)
    }

    @Test(arguments: [
        ("fit-in/300x200/", "fill(fff)", ["fit:300x200", "pad:300x200,#fff"]),
        ("fit-in/300x200/", "fill(blue,1)", ["fit:300x200", "pad:300x200,#0000ff", "blend:normal,#0000ff"]),
        ("fit-in/300x200/", "fill(transparent)", ["fit:300x200", "pad:300x200"]),
        ("fit-in/300x0/", "fill(fff)", ["fit:300x0", "pad:300x1,#fff"]),
        ("300x200/", "no_upscale():fill(fff)", ["cover:300x200", "pad:300x200,#fff"]),
        ("fit-in/300x200/", "blur(5):fill(fff)", ["fit:300x200", "blur:5", "pad:300x200,#fff"]),
    ])
    func `A fill pads to the size`(_ size: String, _ filters: String, _ expected: [String]) throws {
        #expect(try request(filters, size).texts == expected)
    }

    @Test(arguments: [
        ("quality(80)", Fixture.options { $0.quality = 80 }),
        ("format(webp)", Fixture.options { $0.format = .exactly(ImageFormat(name: "WEBP")) }),
        ("format(jpeg)", Fixture.options { $0.format = .exactly(.JPEG) }),
        ("format(PNG)", Fixture.options { $0.format = .exactly(.PNG) }),
        ("max_bytes(20000)", Fixture.options { $0.maximumBytes = 20_000 }),
        ("max_age(3600)", Fixture.options { $0.maximumAge = 3_600 }),
        ("expire(1893456000999)", Fixture.options { $0.expires = 1_893_456_000 }),
        (
            "quality(80):format(jpg):quality(70)",
            Fixture.options { ($0.format, $0.quality) = (.exactly(.JPEG), 70) }
        ),
    ])
    func `A filter of the file becomes an option`(_ filters: String, _ expected: ServiceOptions) throws {
        let request = try request(filters)
        #expect(request.options == expected)
        #expect(request.texts == [])
    }

    @Test(arguments: [(100, nil), (101, 410)] as [(Int, Int?)])
    func `A URL is 410 after the second in which it expires`(_ now: Int, _ status: Int?) {
        let error = Fixture.error { () throws(ServiceError) in try request("expire(100999)", now: now) }
        #expect(error?.status == status)
    }

    @Test(arguments: [
        "watermark(http://e.com/w.png,10,10,50)", "sharpen(1,2,true)", "focal(1x1:2x2)", "frame(x)",
        "rgb(1,2,3)",
        "noise(40)", "equalize()", "colorize(1,2,3,4)", "convolution(1;2,3,false)",
        "distributed_collage(a,b)",
        "proportion(0.5)", "stretch()", "autojpg()", "cover()", "curve([(0,0),(1,1)])", "extract_focal()",
        "gifv()",
        "redeye()", "sepia()", "hue(10)", "label(a)", "attachment(a)", "page(1)", "dpi(2)", "preview()",
        "raw()",
        "strip_metadata()", "trim(1)", "pixelate(5)", "to_colorspace(srgb)", "max_frames(1)", "crop(1,2,3,4)",
        "padding(fff,1)", "some_filter()", "image(a,1,2)",
    ])
    func `A filter without an equivalent is 400 with its name`(_ filter: String) throws {
        let error = try #require(refusal(filter))
        #expect(error.status == 400)
        #expect(error.message == "\(filter.prefix { $0 != "(" }) is not supported: there is no such filter.")
    }

    @Test(arguments: [
        "blur(1)", "blur(10,1.5)", "rotate(45)", "round_corner(20|10,0,0,0)", "round_corner(20,10)",
        "round_corner(20,10,fff)", "background_color(auto)", "fill(auto)", "fill(blur)", "format(heic)",
    ])
    func `An argument without an equivalent is 400 with the name of the filter`(_ filter: String) throws {
        let error = try #require(refusal(filter))
        #expect(error.status == 400)
        #expect(error.message.hasPrefix(filter.prefix { $0 != "(" }))
        #expect(error.message.contains(" is not supported: "))
    }

    @Test(arguments: [
        "quality()", "quality(0)", "quality(101)", "quality(80,90)", "quality(8e1)", "quality(-1)",
        "format()",
        "format(foo)", "max_bytes(0)", "max_bytes(a)", "max_age(-1)", "expire(1e9)", "upscale(1)",
        "no_upscale(1)",
        "grayscale(1)", "brightness(101)", "brightness(nan)", "contrast(-101)", "saturation(1e1)", "blur()",
        "blur(-5)", "blur(1001)", "blur(5,a)", "rotate(-90)", "rotate(a)", "rotate(99999999999999999999)",
        "round_corner(0)", "round_corner(a)", "round_corner(20,256,0,0)", "round_corner(20,0,0,0,maybe)",
        "round_corner(1,2,3,4,5,6)", "background_color(ggg)", "background_color()", "background_color(%zz)",
        "background_color(%00)", "fill()", "fill(fff,2)", "fill(fff,1,2)", "round_corner(|)",
        "round_corner(1|1|1)",
    ])
    func `An invalid argument is 400 with the name of the filter`(_ filter: String) throws {
        let error = try #require(refusal(filter))
        #expect(error.status == 400)
        #expect(error.message.hasPrefix("\(filter.prefix { $0 != "(" }) is invalid: "))
    }

    @Test(arguments: [
        "", "blur", "blur(", "blur(5", "blur((5)", "blur(5))", "(5)", "blur(5)x", "blur(5):",
        "blur(5)::blur(5)", ":",
        "blur(5)(6)", "a b(5)", "bl/ur(5)", ")(",
    ])
    func `Filters that are malformed are 400`(_ filters: String) throws {
        let error = try #require(refusal(filters))
        #expect(error.status == 400)
        #expect(error.message.hasPrefix("filters is invalid: "))
    }

    @Test func `A request has at most 32 steps`() throws {
        let filters = { (count: Int) in [String](repeating: "blur(5)", count: count).joined(separator: ":") }
        #expect(try request(filters(32)).steps.count == 32)
        #expect(refusal(filters(33))?.status == 400)
    }

    @Test func `A name belongs to one filter`() {
        let names = ThumborFilter.all.map(\.name)
        #expect(Set(names).count == names.count)
    }

    private func refusal(_ filters: String) -> ServiceError? {
        Fixture.error { () throws(ServiceError) in try request(filters) }
    }
}
